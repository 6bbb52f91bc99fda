import { loadConfiguration } from '@rxlet/kubelet-config';
import { type KubeletApiChoices, toKubeletApi } from '@rxlet/kubelet-server/configuration';
import { describe, expect, it } from 'vitest';
import { parseSettings } from './parse-settings.ts';
import { toServerContent } from './server-content.ts';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
const load = (fields: string) =>
  loadConfiguration({
    file: { path: '/config.yaml', content: HEAD + fields },
    args: ['--root-dir=/r'],
    cgroupVersion: 'v2',
  });
const optionsOf = (fields = '', ...args: string[]): KubeletApiChoices | undefined =>
  toKubeletApi({ ...load(fields), settings: parseSettings(args).settings });

describe('toKubeletApi', () => {
  it("has the kubelet's defaults", () => {
    expect(optionsOf()).toMatchObject({
      address: '0.0.0.0',
      port: 10_250,
      readOnlyPort: 0,
      healthzBindAddress: '127.0.0.1',
      healthzPort: 10_248,
      authentication: { x509: {}, webhook: { enabled: true, cacheTtlMs: 120_000 }, anonymous: { enabled: false } },
      authorization: { mode: 'Webhook', webhook: { cacheAuthorizedTtlMs: 300_000, cacheUnauthorizedTtlMs: 30_000 } },
      isFineGrained: true,
      switches: { enableDebuggingHandlers: true, enableSystemLogHandler: true, enableProfilingHandler: true },
    });
  });

  it('has no /checkpoint without the feature gate ContainerCheckpoint', () => {
    expect(optionsOf()?.switches.enableCheckpoint).toBe(true);
    expect(optionsOf('featureGates: {ContainerCheckpoint: false}')?.switches.enableCheckpoint).toBe(false);
  });

  it('has queries of node logs on request', () => {
    expect(optionsOf()?.switches.enableSystemLogQuery).toBe(false);
    expect(optionsOf('enableSystemLogQuery: true')?.switches.enableSystemLogQuery).toBe(true);
  });

  it('permits streams by the verb get on request alone', () => {
    expect(optionsOf()?.permitsStreamsByGet).toBe(false);
    expect(optionsOf('', '--permit-streams-by-get')?.permitsStreamsByGet).toBe(true);
  });

  it('passes on the fields of the configuration', () => {
    const fields = `
address: 192.0.2.1
port: 1
readOnlyPort: 2
healthzPort: 3
tlsMinVersion: VersionTLS13
authentication: {x509: {clientCAFile: /ca.crt}, webhook: {enabled: false}, anonymous: {enabled: true}}
authorization: {mode: AlwaysAllow}
enableDebuggingHandlers: false
`;
    expect(optionsOf(fields)).toMatchObject({
      address: '192.0.2.1',
      port: 1,
      readOnlyPort: 2,
      healthzPort: 3,
      tls: { tlsMinVersion: 'VersionTLS13' },
      authentication: { x509: { clientCaFile: '/ca.crt' }, webhook: { enabled: false }, anonymous: { enabled: true } },
      authorization: { mode: 'AlwaysAllow' },
      switches: { enableDebuggingHandlers: false },
    });
  });

  it('is nothing where the server is switched off', () => {
    expect(optionsOf('enableServer: false\n')).toBeUndefined();
  });

  it('rejects an unknown mode of authorization', () => {
    expect(() => optionsOf('authorization: {mode: Sometimes}\n')).toThrow('Sometimes');
  });
});

describe('toServerContent', () => {
  it('shows the configuration in the form of the API, and the flags', () => {
    const { configuration, flags } = toServerContent(load('syncFrequency: 1m30s\n'));
    expect(configuration()).toMatchObject({ kind: 'KubeletConfiguration', syncFrequency: '1m30s' });
    expect(flags()).toEqual({ 'root-dir': '/r' });
  });

  it('masks the headers of the manifest URL that carry credentials, and shows the others', () => {
    const { configuration } = toServerContent(
      load(`staticPodURL: https://h/
staticPodURLHeader: {authorization: [hidden, hidden], X-Api-Key: [hidden], cookie: [hidden], X-Access-Token: [hidden], X-Node: [a, b]}
`),
    );
    expect(configuration()).toMatchObject({
      staticPodURLHeader: {
        authorization: ['<masked>', '<masked>'],
        'X-Api-Key': ['<masked>'],
        cookie: ['<masked>'],
        'X-Access-Token': ['<masked>'],
        'X-Node': ['a', 'b'],
      },
    });
    expect(JSON.stringify(configuration())).not.toContain('hidden');
  });

  it('masks the flags with secrets whole', () => {
    const loaded = load('');
    const { flags } = toServerContent({
      ...loaded,
      flags: new Map<string, unknown>([
        ...loaded.flags,
        ['manifest-url-header', { 'X-Node': ['hidden'] }],
        ['storage-driver-password', 'hidden'],
      ]),
    });
    expect(flags()).toEqual({
      'root-dir': '/r',
      'manifest-url-header': '<masked>',
      'storage-driver-password': '<masked>',
    });
  });
});
