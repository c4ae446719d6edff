// What Chart.js does not draw by itself: hatching over a part of the x axis, and intervals of points that no band can show.

const known = (value) => value !== null && value !== undefined;

/** Whether a value has none beside it, so that neither a line nor a band leads to it. */
export function isAlone(values, index) {
  return known(values[index]) && !known(values[index - 1]) && !known(values[index + 1]);
}

/**
 * @param options hatched: for each index on the x axis whether it is; series: those of the chart, with low and high where
 *   they have intervals; colors: ink and ground of the hatching; paint: the colour of a series
 */
export function overlay({ hatched, series, colors, paint }) {
  return {
    id: "overlay",
    beforeDatasetsDraw: (chart) => whiskers(chart, series, paint),
    afterDatasetsDraw: (chart) => hatch(chart, hatched, colors),
  };
}

function hatch({ ctx, chartArea: area, scales: { x } }, hatched, { ink, ground }) {
  const width = hatched.length ? (area.right - area.left) / hatched.length : 0;
  ctx.save();
  hatched.forEach((isHatched, index) => {
    if (!isHatched) return;
    const middle = x.getPixelForValue(index);
    const left = Math.max(area.left, middle - width / 2);
    const right = Math.min(area.right, middle + width / 2);
    const height = area.bottom - area.top;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, area.top, right - left, height);
    ctx.clip();
    // Dark beside light, so that it shows on bars of any colour and beside them.
    for (const [shift, stroke, alpha] of [[0, ink, 0.6], [1.5, ground, 0.7]]) {
      ctx.strokeStyle = stroke;
      ctx.globalAlpha = alpha;
      ctx.beginPath();
      for (let at = left - height - ((left - height) % 7) + shift; at < right; at += 7) {
        ctx.moveTo(at, area.bottom);
        ctx.lineTo(at + height, area.top);
      }
      ctx.stroke();
    }
    ctx.restore();
  });
  ctx.restore();
}

function whiskers({ ctx, scales: { x, y } }, series, paint) {
  ctx.save();
  ctx.lineWidth = 2;
  ctx.globalAlpha = 0.55;
  for (const one of series.filter((candidate) => candidate.low)) {
    ctx.strokeStyle = paint(one);
    one.values.forEach((value, index) => {
      const isDrawn = one.kind === "points" ? known(value) : isAlone(one.values, index);
      if (!isDrawn || !known(one.low[index])) return;
      const [at, low, high] = [x.getPixelForValue(index), y.getPixelForValue(one.low[index]), y.getPixelForValue(one.high[index])];
      ctx.beginPath();
      ctx.moveTo(at, low);
      ctx.lineTo(at, high);
      for (const end of [low, high]) {
        ctx.moveTo(at - 4, end);
        ctx.lineTo(at + 4, end);
      }
      ctx.stroke();
    });
  }
  ctx.restore();
}
