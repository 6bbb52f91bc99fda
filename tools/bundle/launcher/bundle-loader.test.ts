import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { BundleLoader } from './bundle-loader.ts';
import { CodeCache } from './code-cache.ts';

it('does not run recorded code of a chunk that was replaced by another of the same length', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bundle-loader-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const chunkOf = (version: number): string => `exports.version = function () { return ${String(version)}; };`;
  const load = (): { version(): number } =>
    new BundleLoader(folder, new CodeCache(folder)).load('app.cjs') as { version(): number };

  await writeFile(join(folder, 'app.cjs'), chunkOf(1));
  const first = new BundleLoader(folder, new CodeCache(folder));
  expect((first.load('app.cjs') as { version(): number }).version()).toBe(1);
  first.record();
  const again = new BundleLoader(folder, new CodeCache(folder));
  expect((again.load('app.cjs') as { version(): number }).version()).toBe(1);
  expect(again.isComplete).toBe(true);

  await writeFile(join(folder, 'app.cjs'), chunkOf(2));
  expect(load().version()).toBe(2);
});
