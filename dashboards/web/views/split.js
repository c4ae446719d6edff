// The intended assignment of devices to variants: its notation, and the split that was probably intended.

/** As the report takes it: `equal`, or the weight of each variant. */
export const SYNTAX = String.raw`equal|[^:,]+:\d{1,9}(\.\d{1,9})?(,[^:,]+:\d{1,9}(\.\d{1,9})?)*`;

/** The tolerance, in standard deviations of a count, within which shares count as whole weights. */
const NEAR = 3;

/**
 * The smallest whole weights that the devices of each variant may have come from, written as the report takes them; null
 * where a name can't be, or there is one variant alone. `devices` is by variant, the control first.
 */
export function observedSplit(devices) {
  const counts = [...devices].filter(([, count]) => count > 0);
  if (counts.length < 2 || counts.some(([name]) => /[:,]/.test(name))) return null;
  const all = counts.reduce((sum, [, count]) => sum + count, 0);
  const least = Math.min(...counts.map(([, count]) => count));
  for (let unit = 1; unit <= 20; unit += 1) {
    const weights = counts.map(([, count]) => Math.round((count / least) * unit));
    const whole = weights.reduce((sum, weight) => sum + weight, 0);
    const isNear = counts.every(([, count], index) => {
      const share = weights[index] / whole;
      return Math.abs(count - all * share) <= NEAR * Math.sqrt(all * share * (1 - share));
    });
    if (isNear) return weights.every((weight) => weight === 1) ? "equal" : written(counts, weights);
  }
  return written(counts, counts.map(([, count]) => count));
}

function written(counts, weights) {
  return counts.map(([name], index) => `${name}:${weights[index]}`).join(",");
}

/** Devices by variant over all rows, in the order in which they come. */
export function devicesByVariant(rows) {
  const devices = new Map();
  for (const row of rows.filter((one) => !one.other)) devices.set(row.variant, (devices.get(row.variant) ?? 0) + row.devices);
  return devices;
}
