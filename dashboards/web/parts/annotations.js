// What was noted of the app, such as a release: lines on axes of time.

/** What was noted, with its id, label and time, for each interval of an axis. One request serves all charts of a view; without an answer there is none. */
export async function annotations(buckets, context) {
  if (!buckets.length) return [];
  const parameters = new URLSearchParams({ from: new Date(buckets[0].start).toISOString() });
  try {
    const { annotations: all } = await context.run({ name: "annotations", path: "v1/annotations", parameters });
    const found = buckets.map(() => []);
    for (const one of all) {
      const index = buckets.findIndex(({ start, end }) => start <= Date.parse(one.at) && Date.parse(one.at) < end);
      if (index >= 0) found[index].push(one);
    }
    return found;
  } catch {
    return [];
  }
}

/** Draws a line with a flag at each interval in which something was noted. */
export function flags(noted, color) {
  return {
    id: "annotations",
    afterDatasetsDraw: ({ ctx, chartArea: area, scales: { x } }) => {
      ctx.save();
      ctx.strokeStyle = color;
      ctx.fillStyle = color;
      noted.forEach((here, index) => {
        if (!here.length) return;
        const at = Math.round(x.getPixelForValue(index)) + 0.5;
        ctx.beginPath();
        ctx.moveTo(at, area.top);
        ctx.lineTo(at, area.bottom);
        ctx.stroke();
        ctx.beginPath();
        ctx.moveTo(at, area.top);
        ctx.lineTo(at + 8, area.top + 4);
        ctx.lineTo(at, area.top + 8);
        ctx.fill();
      });
      ctx.restore();
    },
  };
}
