import { type Random, seededRandom } from '@rxlet/component-base';

/** Choices that a seed determines. */
export interface Choices {
  /** Returns an integer from `from` to `to`, both included. */
  integer(from: number, to: number): number;
  /** Returns true with a probability from 0 to 1. */
  chance(probability: number): boolean;
  /** Returns one of the values. */
  pick<T>(values: readonly T[]): T;
  /** Returns one of the values, each as often as its weight says. */
  weighted<T>(values: readonly (readonly [weight: number, value: T])[]): T;
}

/** Creates {@link Choices} from a seed. */
export function choicesOf(seed: number): Choices {
  return createChoices(seededRandom(seed));
}

/** Creates {@link Choices} from a source of randomness. */
export function createChoices(random: Random): Choices {
  const integer = (from: number, to: number): number => from + Math.floor(random.next() * (to - from + 1));
  return {
    integer,
    chance: (probability) => random.next() < probability,
    pick(values) {
      if (values.length === 0) throw new Error('there is no value to pick');
      return values[integer(0, values.length - 1)]!;
    },
    weighted(values) {
      let left = random.next() * values.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, value] of values) {
        left -= weight;
        if (left < 0) return value;
      }
      return values.at(-1)![1];
    },
  };
}
