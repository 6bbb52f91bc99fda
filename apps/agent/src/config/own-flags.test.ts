import { offlineCacheConfiguration } from '@rxlet/offline-cache/configuration';
import { describe, expect, it } from 'vitest';
import type { OwnFlags } from './own-flags.ts';
import { withoutOwnFlags } from './own-flags.ts';
import { loadSettings } from './load-settings.ts';

const load = (flags: OwnFlags, ...args: string[]) => loadSettings(['--hostname-override=node1', ...args], flags);

describe('withoutOwnFlags', () => {
  it("leaves the kubelet's flags", () => {
    const own = ['--docker', '--docker-endpoint', 'unix:///d.sock', '--cni-bin-dir=/a,/b', '--fake-runtime'];
    expect(withoutOwnFlags(['--v', '4', ...own, '--root-dir=/r'])).toEqual(['--v', '4', '--root-dir=/r']);
  });
});

describe('--offline-cache', () => {
  it('is for nodes of a cluster', async () => {
    await expect(load({}, '--offline-cache')).rejects.toThrow('--offline-cache requires --kubeconfig');
    const hasCache = async (...flags: string[]): Promise<boolean> =>
      (await load({}, '--kubeconfig=/k', ...flags)).modules.optionsOf(offlineCacheConfiguration) !== undefined;
    expect(await hasCache('--offline-cache')).toBe(true);
    expect(await hasCache()).toBe(false);
  });
});

describe('--docker', () => {
  it('chooses the embedded runtime on Docker', async () => {
    const flags = { docker: true, dockerEndpoint: 'unix:///d.sock', cniBinDir: '/a,/b' };
    expect((await load(flags, '--root-dir=/r')).runtime).toMatchObject({
      kind: 'docker',
      socketPath: '/d.sock',
      cniPluginFolders: ['/a', '/b'],
      restrictOomScoreAdj: false,
      rootDirectory: '/r/docker',
    });
  });

  it.each([
    [{ docker: true, fakeRuntime: true }, [], '--docker excludes --fake-runtime: choose one runtime'],
    [{ docker: true }, ['--container-runtime-endpoint=unix:///x'], '--docker excludes --container-runtime-endpoint'],
    [{ cniBinDir: '/a' }, [], '--cni-bin-dir requires --docker'],
    [{ restrictOomScoreAdj: true }, [], '--restrict-oom-score-adj requires --docker'],
  ])('rejects the flags %j with %j', async (flags, args, problem) => {
    await expect(load(flags, ...args)).rejects.toThrow(problem);
  });
});
