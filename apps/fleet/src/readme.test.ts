import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readBehaviours } from './plan/behaviours.ts';
import { run } from './run.ts';

const README = new URL('../README.md', import.meta.url);
const KUBECTL = process.env['RXLET_TEST_KUBECTL'] ?? 'kubectl';

function hasKubectl(): boolean {
  try {
    execFileSync(KUBECTL, ['version', '--client'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('README.md', () => {
  it('shows a file of behaviours that the command accepts', async () => {
    const readme = await readFile(README, 'utf8');
    const blocks = Array.from(readme.matchAll(/```yaml\n([\s\S]*?)```/g), ([, block = '']) => block);
    const folder = await mkdtemp(join(tmpdir(), 'rxlet-fleet-'));
    const path = join(folder, 'behaviours.yaml');
    await writeFile(path, blocks.join(''));
    const { containers, nodeFaults } = await readBehaviours(path);
    await rm(folder, { recursive: true });
    expect([containers.length, nodeFaults.length]).toEqual([2, 2]);
  });

  it.skipIf(!hasKubectl())('has commands that run as written', { timeout: 120_000 }, async () => {
    const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(await readFile(README, 'utf8')) ?? [];
    const [start = [], ...kubectl] = block
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split(' ').slice(1));
    const folder = await mkdtemp(join(tmpdir(), 'rxlet-fleet-'));
    const path = join(folder, 'fleet.kubeconfig');
    const stop = new AbortController();
    const ready = Promise.withResolvers<void>();
    // Only the places are others: tests of other files use the port as well.
    const places = ['--listen', '127.0.0.1:0', '--admin-kubeconfig', path];
    const running = run([...start, ...places], {
      stdout: (text) => void (text.includes('ready') && ready.resolve()),
      stderr: (text) => ready.reject(new Error(text)),
      signal: stop.signal,
    });
    try {
      await ready.promise;
      const outputs: string[] = [];
      for (const args of kubectl) {
        const placed = args.map((arg) => (arg === 'fleet.kubeconfig' ? path : arg));
        outputs.push((await promisify(execFile)(KUBECTL, placed)).stdout);
      }
      expect(outputs).toHaveLength(3);
      expect(outputs[1]).toContain('successfully rolled out');
    } finally {
      stop.abort();
      await running;
      await rm(folder, { recursive: true });
    }
  });
});
