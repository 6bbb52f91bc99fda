import { createLifetime, systemClock } from '@rxlet/component-base';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createManifestDecoder } from './manifest-decoder.ts';
import { ManifestError } from './manifest-error.ts';

const TEN_MB = 10 * 1024 * 1024;
/** Far above the two seconds that the slowest takes, also on a machine that is busy. */
const MAX_DECODE_MS = 30_000;

const yaml = 'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers: [{name: c, image: i}]\n';
const json = (spec: string, metadata = ''): string =>
  `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"${metadata}},"spec":{${spec}}}`;
const many = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => item(i)).join();
const nested = (count: number): string => `${'['.repeat(count)}${']'.repeat(count)}`;
/** Mappings in block style, each below the one before. */
const block = (depth: number): string => Array.from({ length: depth }, (_, i) => `${' '.repeat(i)}a:`).join('\n');

/** Decodes a manifest, and returns the error that rejects it. */
async function rejectionOf(text: string): Promise<string> {
  await using lifetime = createLifetime();
  const startMs = systemClock.monotonicNow();
  const decoding = createManifestDecoder(systemClock, lifetime).decode(
    new TextEncoder().encode(text),
    { nodeName: 'node1', origin: { file: '/m/a.yaml' } },
    'list',
  );
  const error: unknown = await decoding.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(systemClock.monotonicNow() - startMs).toBeLessThan(MAX_DECODE_MS);
  expect(error).toBeInstanceOf(ManifestError);
  return (error as ManifestError).detail;
}

describe('a manifest of megabytes is rejected in little time and memory:', { timeout: 60_000 }, () => {
  it.each<[string, () => string, string]>([
    ['deep JSON', () => json(`"x":${nested(4_000_000)}`), 'nested more than 10000 levels deep'],
    ['JSON without an end', () => `{"a":${'['.repeat(TEN_MB)}`, 'nested more than 10000 levels deep'],
    ['a million containers', () => json(`"containers":[${'{},'.repeat(3_000_000)}{}]`), 'more than 250000 tokens'],
    ['a million labels', () => json('', `,"labels":{${many(600_000, (i) => `"k${String(i)}":""`)}}`), '250000 tokens'],
    ['a million pods', () => `{"apiVersion":"v1","kind":"PodList","items":[${'{},'.repeat(3_000_000)}{}]}`, 'tokens'],
    [
      'a long name',
      () => `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"${'x'.repeat(TEN_MB / 5)}"}}`,
      'metadata.name',
    ],
    [
      'a long quantity',
      () => json(`"overhead":{"cpu":"${'9'.repeat(TEN_MB)}"}`),
      'spec.overhead[cpu]: expected a quantity',
    ],
    ['a long integer', () => json(`"priority":${'9'.repeat(TEN_MB)}`), 'spec.priority: expected an integer'],
    ['containers that are all wrong', () => json(`"containers":[${'{},'.repeat(5_000)}{}]`), 'spec.containers[0].name'],
    ['deep YAML in block style', () => yaml + block(4_000), 'is not YAML'],
    ['deep YAML lists', () => '- '.repeat(5_000_000), 'nested more than 100 levels deep'],
    ['YAML lines', () => yaml + '\n'.repeat(TEN_MB), 'more than 250000 tokens'],
    ['YAML documents', () => '---\n'.repeat(2_500_000) + yaml, 'more than 250000 tokens'],
    ['YAML without an end', () => `${yaml}x: "${'a'.repeat(TEN_MB)}`, 'Missing closing'],
    ['aliases', () => `${yaml}a: &a 1\nx: [${'*a,'.repeat(80_000)}]\n`, 'more than 5000 aliases'],
    ['anchors that are set again', () => `${yaml}x: [${'&a 1, *a,'.repeat(30_000)}]\n`, 'more than 5000 aliases'],
    ['bytes that are not text', () => '\0'.repeat(TEN_MB), 'control character at line 1'],
  ])('%s', async (_title, text, message) => {
    const detail = await rejectionOf(text());
    expect(detail).toContain(message);
    expect(detail.length).toBeLessThan(10_000);
  });
});

it('a manifest of megabytes with little in it is accepted', { timeout: 60_000 }, async () => {
  const lifetime = createLifetime();
  onTestFinished(() => lifetime[Symbol.asyncDispose]());
  const decoder = createManifestDecoder(systemClock, lifetime);
  const text = `${yaml}# ${'x'.repeat(9 * 1024 * 1024)}`;
  const options = { nodeName: 'node1', origin: { file: '/m/a.yaml' } };
  const { pods } = await decoder.decode(new TextEncoder().encode(text), options);
  expect(pods).toHaveLength(1);
});
