/** Maps times to places. */
export interface TimeScale {
  /** Place of a time, from 0 for the begin to 1 for the end. */
  place(ms: number): number;
  /** Times whose places are far enough from each other for labels. */
  readonly ticks: readonly number[];
}

/** Gap of this length takes as much room as the first doubling of it. */
const UNIT_MS = 40;
/** Smallest distance of two labels. */
const LABEL_DISTANCE = 0.09;

/**
 * Creates a scale for which each gap between two moments takes room by the logarithm of its length: what happens within milliseconds stays visible beside a container
 * that runs for days.
 */
export function foldTime(moments: readonly number[], startMs: number, endMs: number): TimeScale {
  const end = Math.max(endMs, startMs + 1);
  const inside = moments.filter((ms) => ms > startMs && ms < end);
  const sorted = [...new Set([startMs, ...inside, end])].sort((a, b) => a - b);
  const places = [0];
  for (let index = 1; index < sorted.length; index += 1)
    places.push(places[index - 1]! + Math.log2(1 + (sorted[index]! - sorted[index - 1]!) / UNIT_MS));
  return scaleOf(
    sorted,
    places.map((place) => place / places.at(-1)!),
  );
}

/** Creates a scale with the same room for equal times. */
export function linearTime(startMs: number, endMs: number): TimeScale {
  const end = Math.max(endMs, startMs + 1);
  const steps = 8;
  const ticks = Array.from({ length: steps + 1 }, (_, index) => startMs + ((end - startMs) * index) / steps);
  return scaleOf(
    ticks,
    ticks.map((_, index) => index / steps),
  );
}

function scaleOf(moments: readonly number[], places: readonly number[]): TimeScale {
  const ticks: number[] = [];
  let last = -1;
  moments.forEach((ms, index) => {
    const place = places[index]!;
    if (place - last < LABEL_DISTANCE || place > 1 - LABEL_DISTANCE / 2) return;
    ticks.push(ms);
    last = place;
  });
  return {
    ticks,
    place(ms) {
      if (ms <= moments[0]!) return 0;
      if (ms >= moments.at(-1)!) return 1;
      let low = 0;
      let high = moments.length - 1;
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (moments[middle]! <= ms) low = middle;
        else high = middle;
      }
      const share = (ms - moments[low]!) / (moments[high]! - moments[low]!);
      return places[low]! + share * (places[high]! - places[low]!);
    },
  };
}
