import { randomBytes } from 'node:crypto';

/** Source of all randomness: {@link systemRandom}, or {@link seededRandom} to replay a run exactly. */
export interface Random {
  /** Returns a number in [0, 1). */
  next(): number;
  /** Returns `bytes` random bytes as lower-case hex digits. */
  hex(bytes: number): string;
}

/** Returns a random (version 4) UUID in its canonical form. */
export function uuid(random: Random): string {
  const digits = random.hex(16);
  const variant = ((Number.parseInt(digits[16]!, 16) & 0x3) | 0x8).toString(16);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`;
}

/** Returns a number spread evenly over [base, base × (1 + factor)), as the kubelet spreads resyncs and retries. */
export function jitter(random: Random, base: number, factor: number): number {
  return base * (1 + random.next() * factor);
}

/** The operating system's generator. */
export const systemRandom: Random = {
  next: () => Math.random(),
  hex: (bytes) => randomBytes(bytes).toString('hex'),
};

/** Creates a generator whose sequence is determined by `seed` (mulberry32; not for secrets). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next32 = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  return {
    next: () => next32() / 2 ** 32,
    hex: (bytes) => Array.from({ length: bytes }, () => (next32() & 0xff).toString(16).padStart(2, '0')).join(''),
  };
}
