import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from './run.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fake-kube-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs the command, and stops it once it listens. */
async function runWith(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const stop = new AbortController();
  let stdout = '';
  let stderr = '';
  const code = await run(args, {
    stdout: (text) => {
      stdout += text;
      if (stdout.includes('listening')) stop.abort();
    },
    stderr: (text) => (stderr += text),
    signal: stop.signal,
  });
  return { code, stdout, stderr };
}

describe('fake-kube', () => {
  it('prints its address, and writes kubeconfigs that only the owner can read', async () => {
    const [adminPath, nodePath, bootstrapPath] = ['admin', 'node', 'bootstrap'].map((name) => join(folder, name));
    const { code, stdout, stderr } = await runWith(
      ...['--listen', '127.0.0.1:0', '--kubeconfig', adminPath!, '--node-kubeconfig', `node1=${nodePath!}`],
      ...['--bootstrap-kubeconfig', bootstrapPath!],
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^fake API server listening on https:\/\/127\.0\.0\.1:\d+\n$/);
    for (const path of [adminPath!, nodePath!, bootstrapPath!]) expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(nodePath!, 'utf8'))).toMatchObject({ users: [{ name: 'system:node:node1' }] });
    expect(await readFile(bootstrapPath!, 'utf8')).toMatch(/"token": "[0-9a-f]{6}\.[0-9a-f]{16}"/);
  });

  it('keeps objects and credentials in its state file, which only the owner can read', async () => {
    const [state, ca, bootstrap, objects] = ['state', 'ca', 'bootstrap', 'objects'].map((name) => join(folder, name));
    await writeFile(objects!, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n');
    const args = ['--listen', '127.0.0.1:0', '--state-file', state!, '--ca-file', ca!, '--objects', objects!];
    const written = async (): Promise<string[]> => {
      expect(await runWith(...args, '--bootstrap-kubeconfig', bootstrap!)).toMatchObject({ code: 0, stderr: '' });
      const token = /"token": "([^"]+)"/.exec(await readFile(bootstrap!, 'utf8'))![1]!;
      const { objects: saved } = JSON.parse(await readFile(state!, 'utf8')) as {
        objects: { kind: string; metadata: { uid: string } }[];
      };
      return [await readFile(ca!, 'utf8'), token, saved.find(({ kind }) => kind === 'ConfigMap')!.metadata.uid];
    };
    const first = await written();
    expect(await written()).toEqual(first);
    expect((await stat(state!)).mode & 0o777).toBe(0o600);
  });

  it.each([
    [
      ['--seed', '1', '--state-file', '/state'],
      "options '--seed' and '--state-file' exclude each other: each run would give the same UIDs again (see fake-kube --help)",
    ],
    [
      ['--listen', '127.0.0.1:0', '--state-file', '/no/such/state'],
      'cannot use the state file /no/such/state: the folder /no/such does not exist',
    ],
    [['--bogus'], "unknown option '--bogus' (see fake-kube --help)"],
    [['--listen', '6443'], "option '--listen 6443' is not HOST:PORT (see fake-kube --help)"],
    [['--node-kubeconfig', 'node1'], "option '--node-kubeconfig' is not NODE=PATH (see fake-kube --help)"],
  ])('exits with 2 and one line for %j', async (args, message) => {
    expect(await runWith(...args)).toEqual({ code: 2, stdout: '', stderr: `fake-kube: ${message}\n` });
  });

  it('exits with 2 for objects that cannot be created', async () => {
    const path = join(folder, 'objects.yaml');
    await writeFile(path, 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {}\n');
    const invalid = await runWith('--listen', '127.0.0.1:0', '--objects', path);
    expect(invalid).toMatchObject({ code: 2, stdout: '' });
    expect(invalid.stderr).toContain('cannot create Pod "a": Pod "a" is invalid: spec.containers: Required value');
    await writeFile(path, 'apiVersion: v9\nkind: Unknown\n');
    expect((await runWith('--listen', '127.0.0.1:0', '--objects', path)).stderr).toContain(
      'there is no kind "Unknown" in "v9"',
    );
  });

  it('exits with 1 when it cannot listen', async () => {
    const { code, stderr } = await runWith('--listen', '192.0.2.1:1');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^fake-kube: cannot listen on 192\.0\.2\.1:1 \(--listen\): listen EADDRNOTAVAIL.*\n$/);
  });
});
