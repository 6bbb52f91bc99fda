import { seededRandom, systemClock } from '@rxlet/component-base';
import { describe, expect, it } from 'vitest';
import { decodeManifestList } from './decode-manifest.ts';
import { ManifestError } from './manifest-error.ts';
import { mutatedManifest } from './test-support-mutations.ts';

/** Number of manifests. `RXLET_FUZZ_MANIFESTS=100000` runs them all, in about two minutes. */
const MANIFESTS = Number(process.env['RXLET_FUZZ_MANIFESTS'] ?? 500);
/** Seed of the first manifest; each following one has the next seed. `RXLET_FUZZ_SEED` and one manifest repeat a failure. */
const FIRST_SEED = Number(process.env['RXLET_FUZZ_SEED'] ?? 7);
/** Far above the time that any of them takes, also on a machine that is busy. */
const MAX_DECODE_MS = 5_000;

const FIELD_PATH = /^[a-zA-Z]\w*(?:\.\w+|\[[^\]]*\]|\.[^\s]+)*/;
/** Reasons that name the fields. All others concern the text or the object as a whole. */
const REASONS_OF_FIELDS: readonly string[] = ['WrongFieldType', 'InvalidPod'];

/** Decodes a manifest and returns its outcome. */
async function outcomeOf(text: string): Promise<string> {
  try {
    const { pods } = await decodeManifestList(text, { nodeName: 'node1', origin: { file: '/m/a.yaml' } });
    for (const { metadata } of pods) expect(metadata?.name).toMatch(/-node1$/);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    const { reason, message, problems } = error;
    expect(message).toMatch(/^\/m\/a\.yaml[:,] [^\n]+$/);
    expect(message.length).toBeLessThan(10_000);
    expect(problems.length > 0).toBe(REASONS_OF_FIELDS.includes(reason));
    expect(problems.filter(({ field }) => !FIELD_PATH.test(field))).toEqual([]);
    return reason;
  }
}

describe('a mutated manifest', () => {
  it('gives pods, or an error of one line that names the manifest and the fields', { timeout: 1_800_000 }, async () => {
    const outcomes = new Map<string, number>();
    let slowestMs = 0;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + MANIFESTS; seed += 1) {
      const text = mutatedManifest(seededRandom(seed));
      const startMs = systemClock.monotonicNow();
      let outcome: string;
      try {
        outcome = await outcomeOf(text);
      } catch (error) {
        throw new Error(`RXLET_FUZZ_SEED=${String(seed)} fails with this manifest:\n${text}`, { cause: error });
      }
      const tookMs = systemClock.monotonicNow() - startMs;
      expect(tookMs, `RXLET_FUZZ_SEED=${String(seed)}`).toBeLessThan(MAX_DECODE_MS);
      slowestMs = Math.max(slowestMs, tookMs);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    const figures = [...outcomes].map(([outcome, count]) => `${outcome} ${String(count)}`).join(', ');
    // Shown by `--reporter=verbose`, and on demand.
    if (process.env['RXLET_FUZZ_MANIFESTS'] !== undefined)
      console.log(`${String(MANIFESTS)} manifests: ${figures}; the slowest took ${slowestMs.toFixed(1)} ms`);
    expect(outcomes.get('accepted')).toBeGreaterThan(0);
    expect(outcomes.get('InvalidPod')).toBeGreaterThan(0);
  });
});
