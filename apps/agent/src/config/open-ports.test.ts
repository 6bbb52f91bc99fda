import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from './config-error.ts';
import { type AgentSettings, loadSettings } from './load-settings.ts';
import type { OwnFlags } from './own-flags.ts';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
const CLUSTER = '--kubeconfig=/node.conf';
const FAKE = '--root-dir=/srv/fake';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rxlet-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const config = async (fields = ''): Promise<string> => {
  const path = join(folder, 'kubelet.yaml');
  await writeFile(path, HEAD + fields);
  return `--config=${path}`;
};
const load = (args: readonly string[], flags: OwnFlags = {}): Promise<AgentSettings> =>
  loadSettings(['--hostname-override=node1', ...args], flags);
/** The ports of HTTPS, read-only requests and health. */
const portsOf = ({ kubeletApi }: AgentSettings): unknown[] => [
  kubeletApi?.port,
  kubeletApi?.readOnlyPort,
  kubeletApi?.healthzPort,
];
const NONE = [undefined, 0, 0];

describe('a standalone agent', () => {
  it('opens no port unless it is set', async () => {
    expect(portsOf(await load([]))).toEqual(NONE);
    expect(portsOf(await load([await config()]))).toEqual(NONE);
    expect(portsOf(await load(['--read-only-port=1']))).toEqual([undefined, 1, 0]);
    expect(portsOf(await load(['--healthz-port=1']))).toEqual([undefined, 0, 1]);
    expect(portsOf(await load([await config('healthzBindAddress: 127.0.0.2\nreadOnlyPort: 10255\n')]))).toEqual([
      undefined,
      10_255,
      10_248,
    ]);
    const dropIns = join(folder, 'drop-ins.conf');
    await writeFile(dropIns, `${HEAD}readOnlyPort: 3\n`);
    expect(portsOf(await load([`--config-dir=${folder}`]))).toEqual([undefined, 3, 0]);
  });

  it.each([['x509: {clientCAFile: /ca.crt}'], ['anonymous: {enabled: true}']])(
    'serves HTTPS when its configuration decides alone who may use it: %s',
    async (clients) => {
      const fields = (mode: string) =>
        `authentication: {${clients}, webhook: {enabled: false}}\nauthorization: {mode: ${mode}}\n`;
      expect((await load([await config(fields('AlwaysAllow'))])).kubeletApi?.port).toBe(10_250);
      expect((await load([await config(fields('Webhook'))])).kubeletApi?.port).toBeUndefined();
    },
  );

  it('reports that its port for HTTPS has no effect', async () => {
    expect((await load(['--port=10250'])).warnings).toEqual([
      expect.stringContaining('port has no effect: a standalone'),
    ]);
  });
});

describe('an agent on the embedded runtime', () => {
  it('opens no port unless it is set, in a cluster as well', async () => {
    const flags = { fakeRuntime: true };
    expect(portsOf(await load([FAKE], flags))).toEqual(NONE);
    expect(portsOf(await load([FAKE, CLUSTER, await config('authorization: {mode: AlwaysAllow}')], flags))).toEqual(
      NONE,
    );
    const args = [FAKE, CLUSTER, '--port=1', '--read-only-port=2', '--healthz-port=3'];
    expect(portsOf(await load(args, flags))).toEqual([1, 2, 3]);
  });
});

describe('a node of a cluster', () => {
  it('authenticates and authorizes clients without --config, and names the fields to set', async () => {
    const { kubeletApi, warnings } = await load([CLUSTER]);
    expect(kubeletApi).toMatchObject({
      port: 10_250,
      readOnlyPort: 0,
      healthzPort: 10_248,
      authentication: { anonymous: { enabled: false }, webhook: { enabled: true } },
      authorization: { mode: 'Webhook' },
    });
    expect(warnings).toEqual([
      "without --config the API is not open to everybody, as the kubelet's is: clients are authenticated and authorized. " +
        'Set authentication.anonymous.enabled (--anonymous-auth), ' +
        'authentication.webhook.enabled (--authentication-token-webhook), authorization.mode (--authorization-mode), ' +
        'readOnlyPort (--read-only-port), or pass --legacy-kubelet-defaults',
    ]);
    expect((await load([CLUSTER, await config()])).warnings).toEqual([]);
  });

  it('does as its flags say without a warning', async () => {
    const flags = ['--anonymous-auth=true', '--authentication-token-webhook=false', '--read-only-port=10255'];
    const { kubeletApi, warnings } = await load([CLUSTER, ...flags, '--authorization-mode=AlwaysAllow']);
    expect(warnings).toEqual([]);
    expect(kubeletApi).toMatchObject({
      readOnlyPort: 10_255,
      authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
      authorization: { mode: 'AlwaysAllow' },
    });
  });
});

describe('--legacy-kubelet-defaults', () => {
  const flags = { legacyKubeletDefaults: true };

  it.each([[[]], [[CLUSTER]]])('opens what a kubelet without a configuration file opens, with %j', async (args) => {
    const settings = await load(args, flags);
    expect(portsOf(settings)).toEqual([10_250, 10_255, 10_248]);
    expect(settings.kubeletApi).toMatchObject({
      authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
      authorization: { mode: 'AlwaysAllow' },
    });
    expect(settings.warnings).toEqual([]);
  });

  it('is rejected with a configuration file, which has other defaults', async () => {
    await expect(load([await config()], flags)).rejects.toThrow(UsageError);
  });
});
