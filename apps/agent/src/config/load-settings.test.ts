import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { staticPodsConfiguration } from '@rxlet/pod-source/configuration';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError, UsageError } from './config-error.ts';
import { type AgentSettings, loadSettings } from './load-settings.ts';
import { DEFAULT_ROOT_DIRECTORY, DEFAULT_RUNTIME_ENDPOINT, socketPath } from './standard-places.ts';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';

describe('loadSettings', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rxlet-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const config = async (fields: string): Promise<string> => {
    const path = join(folder, 'kubelet.yaml');
    await writeFile(path, HEAD + fields);
    return `--config=${path}`;
  };
  const load = (...args: readonly string[]): Promise<AgentSettings> =>
    loadSettings(['--hostname-override=node1', ...args], {});
  const failure = async (loading: Promise<unknown>): Promise<Error> => {
    const error: unknown = await loading.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ConfigError);
    return error as Error;
  };

  it("has the kubelet's defaults, and runs on cgroup v1 and v2", async () => {
    expect(await load()).toMatchObject({
      node: { name: 'node1', rootDirectory: DEFAULT_ROOT_DIRECTORY, podLogsDirectory: '/var/log/pods' },
      runtime: { kind: 'cri', endpoint: DEFAULT_RUNTIME_ENDPOINT, imageEndpoint: undefined, isDefault: true },
      oomScoreAdj: -999,
      log: { format: 'text', verbosity: 0, flushFrequencyMs: 5000, splitStream: false, infoBufferBytes: 0 },
      warnings: [],
    });
  });

  it('takes the endpoints of the file, unless flags are given', async () => {
    const file = await config(
      'containerRuntimeEndpoint: unix:///file.sock\nimageServiceEndpoint: unix:///images.sock\n',
    );
    expect((await load(file)).runtime).toEqual({
      kind: 'cri',
      endpoint: 'unix:///file.sock',
      imageEndpoint: 'unix:///images.sock',
      isDefault: false,
    });
    const flags = ['--container-runtime-endpoint', 'unix:///flag.sock', '-v', '5', '--oom-score-adj=-5'];
    expect(await load(file, ...flags)).toMatchObject({
      runtime: { endpoint: 'unix:///flag.sock' },
      log: { verbosity: 5 },
      oomScoreAdj: -5,
    });
  });

  it('uses the embedded runtime only with its flag, also when the file names a real one', async () => {
    const file = await config('containerRuntimeEndpoint: unix:///run/c.sock\n');
    const { runtime } = await loadSettings([file, '--root-dir=/srv/try'], { fakeRuntime: true });
    expect(runtime).toEqual({ kind: 'fake' });
    expect((await loadSettings([file], { fakeRuntime: false })).runtime.kind).toBe('cri');
  });

  it('permits ConfigMaps and Secrets in manifests, unless the flag forbids it', async () => {
    const args = [await config(''), '--pod-manifest-path=/m'];
    const permits = async (...flags: string[]): Promise<boolean | undefined> =>
      (await load(...args, ...flags)).modules.optionsOf(staticPodsConfiguration)?.documents;
    expect(await permits()).toBe(true);
    expect(await permits('--strict-static-pods')).toBe(false);
    expect(await permits('--kubeconfig=/k')).toBe(false);
  });

  it('keeps all files of the embedded runtime in the root directory, unless another place is set', async () => {
    const args = ['--root-dir=/srv/try'];
    const { node, options } = await loadSettings(args, { fakeRuntime: true });
    expect(node).toMatchObject({ rootDirectory: '/srv/try', podLogsDirectory: '/srv/try/pod-logs' });
    expect(options.containerLogsDirectory).toBeUndefined();
    expect(await loadSettings(args, { fakeRuntime: true })).toMatchObject({
      servingCertificates: { directory: '/srv/try/pki' },
      oomScoreAdj: undefined,
    });
    const withCertificates = await loadSettings([...args, '--cert-dir=/certs', '--oom-score-adj=-5'], {
      fakeRuntime: true,
    });
    expect(withCertificates).toMatchObject({ servingCertificates: { directory: '/certs' }, oomScoreAdj: -5 });
    const withLogs = [await config('podLogsDir: /logs\n'), ...args];
    expect((await loadSettings(withLogs, { fakeRuntime: true })).node.podLogsDirectory).toBe('/logs');
  });

  it('names what has no effect in one line', async () => {
    const file = await config('volumePluginDir: /flex\nlogging: {flushFrequency: 5s}\nnope: 1\nclusterDomain: a\n');
    expect((await load(file, '--experimental-mounter-path=/m')).warnings).toEqual([
      'ignored a part of the configuration file: unknown field "nope"',
      'parts of the configuration have no effect: volumePluginDir, --experimental-mounter-path (see docs/kubelet-configuration.md)',
    ]);
  });

  it.each([
    [['--nope'], 'unknown flag: --nope'],
    [['--root-dir='], '--root-dir is empty'],
    [['--pod-manifest-path='], '--pod-manifest-path is empty'],
    [['--container-runtime-endpoint= '], '--container-runtime-endpoint is empty'],
    [['--node-ip=node1'], '--node-ip "node1"'],
    [['--manifest-url-header=secret'], 'flag --manifest-url-header: expected name:value'],
  ])('rejects the command line %j', async (args, problem) => {
    const error = await failure(load(...args));
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toContain(problem);
    expect(error.message).not.toContain('secret');
  });

  it.each([
    [['--container-runtime-endpoint=unix:///x'], '--fake-runtime excludes --container-runtime-endpoint'],
    [['--image-service-endpoint=unix:///x'], 'choose one runtime'],
    [[], 'name a folder of its own with --root-dir'],
  ])('rejects --fake-runtime with %j', async (args, problem) => {
    const error = await failure(loadSettings(args, { fakeRuntime: true }));
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toContain(problem);
  });

  it('rejects a wrong configuration with another exit code than a wrong command line', async () => {
    const invalid = await failure(load(await config('port: -1\nmaxPods: -1\n')));
    expect(invalid).not.toBeInstanceOf(UsageError);
    expect(invalid.message).toBe(
      'invalid configuration: 2 problems\n  maxPods -1 must be at least 0\n  port -1 must be between 1 and 65535',
    );
  });

  it('rejects a configuration that stops a kubelet only later in its start', async () => {
    const error = await failure(load(await config('evictionHard: {memory.available: much}\n')));
    expect(error.message).toBe(
      'invalid configuration: eviction threshold "much" of memory.available must be a quantity or a percentage',
    );
  });

  it('names the path and the flag of a file that cannot be read', async () => {
    const path = join(folder, 'none');
    expect((await failure(load('--config', path))).message).toBe(
      `cannot read the configuration file "${path}" of --config: no such file`,
    );
    expect((await failure(load(`--config-dir=${path}`))).message).toContain(
      `cannot read the directory "${path}" of --config-dir: ENOENT`,
    );
  });
});

it('has its socket in the root directory', () => {
  expect(socketPath('/var/lib/kubelet')).toBe('/var/lib/kubelet/rxlet.sock');
});
