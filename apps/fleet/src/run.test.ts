import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from './run.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rxlet-fleet-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs the command, and stops it once it prints that its nodes are ready. */
async function runUntilReady(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const stop = new AbortController();
  let [stdout, stderr] = ['', ''];
  const code = await run(args, {
    stdout: (text) => {
      stdout += text;
      if (stdout.includes('ready')) stop.abort();
    },
    stderr: (text) => (stderr += text),
    signal: stop.signal,
  });
  return { code, stdout, stderr };
}

describe('rxlet-fleet', () => {
  it('starts an API server with 50 nodes that are ready', { timeout: 30_000 }, async () => {
    const { code, stdout, stderr } = await runUntilReady(
      ...['--fake-kube', '--listen', '127.0.0.1:0', '--admin-kubeconfig', join(folder, 'admin'), '--nodes', '50'],
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^API server for tests on https:\/\/127\.0\.0\.1:\d+: kubectl --kubeconfig .+\n50 nodes are ready after [\d.]+ s\n$/,
    );
  });

  it.each([
    [[], 'either --kubeconfig or --fake-kube is required'],
    [['--fake-kube', '--nodes', '0'], 'not from 1 to'],
    [['--fake-kube', '--workers', '0'], 'not from 1 to'],
    [['--fake-kube', '--shard', '3/2'], 'not I/N'],
    [['--fake-kube', '--shard', '1/2'], 'cannot share a --fake-kube'],
    [['--fake-kube', '--prefix', 'A_'], 'does not begin the name of a node'],
    [['--kubeconfig', '/none'], 'cannot read the kubeconfig /none'],
    [['--fake-kube', '--tls-cert-file', '/none'], 'are given together'],
    [['--fake-kube', '--tls-cert-file', '/none', '--tls-private-key-file', '/none'], 'cannot read /none'],
    [['--fake-kube', '--template', '/none'], 'cannot read /none'],
  ])('rejects %j with exit code 2', async (args, problem) => {
    const { code, stdout, stderr } = await runUntilReady(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^rxlet-fleet: .+\n$/);
    expect(stderr).toContain(problem);
  });

  it('rejects a script that is not valid', async () => {
    const script = join(folder, 'script.yaml');
    await writeFile(script, 'images: { web: { exitCode: 300 } }');
    const { code, stderr } = await runUntilReady('--fake-kube', '--script', script);
    expect(code).toBe(2);
    expect(stderr).toContain('exitCode: must be a whole number from 0 to 255');
  });

  it('rejects a template with a resource that a simulated node does not have', async () => {
    const template = join(folder, 'node.yaml');
    await writeFile(template, 'apiVersion: v1\nkind: Node\nstatus: { capacity: { example.com/gpu: 1 } }\n');
    const { code, stderr } = await runUntilReady('--fake-kube', '--template', template);
    expect(code).toBe(2);
    expect(stderr).toContain('status.capacity.example.com/gpu: a simulated node has no such resource');
  });
});
