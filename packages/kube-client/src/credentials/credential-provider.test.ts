import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsKeyPair } from '@rxlet/kube-api/client';
import { createCurrentValue } from '@rxlet/component-base/streams';
import { createVirtualClock, recordingLogger, type VirtualClock } from '@rxlet/component-base/testing';
import { createHostFiles } from '@rxlet/node-files';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExecPlugin, KubeEndpoint } from '../kubeconfig/kube-endpoint.ts';
import { createCredentialProvider, type CredentialProvider } from './credential-provider.ts';
import { runPluginProcess, type RunPlugin } from './run-plugin.ts';

const signal = new AbortController().signal;
const plugin: ExecPlugin = {
  apiVersion: 'client.authentication.k8s.io/v1',
  command: '/bin/login',
  args: [],
  env: {},
  installHint: 'Install it from example.com.',
  cluster: undefined,
};
const credential = (status: object): string =>
  JSON.stringify({ kind: 'ExecCredential', apiVersion: plugin.apiVersion, status });

let folder: string;
let clock: VirtualClock;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'credentials-'));
  clock = createVirtualClock();
});
afterEach(() => rm(folder, { recursive: true }));

function provider(endpoint: Partial<KubeEndpoint>, runPlugin: RunPlugin = runPluginProcess): CredentialProvider {
  return createCredentialProvider(
    { clock, hostFiles: createHostFiles(), runPlugin },
    { server: 'https://x', ...endpoint },
  );
}

describe('credentials of files', () => {
  it('refresh after ten seconds, and stay when a file is missing for a while', async () => {
    const file = join(folder, 'token');
    await writeFile(file, ' one\n');
    const credentials = provider({ tokenFile: file });
    const token = async (): Promise<unknown> => (await credentials.current(signal)).headers['authorization'];
    expect(await token()).toBe('Bearer one');
    await writeFile(file, 'two');
    expect(await token()).toBe('Bearer one');
    await clock.advance(10_000);
    expect(await token()).toBe('Bearer two');
    await rm(file);
    await clock.advance(10_000);
    expect(await token()).toBe('Bearer two');
    await expect(provider({ tokenFile: file }).current(signal)).rejects.toMatchObject({
      reason: 'InvalidCredentials',
      message: `cannot read the token ${file}: the file does not exist`,
    });
  });

  it('stay while a token file is empty, as in the middle of a rotation', async () => {
    const file = join(folder, 'token');
    await writeFile(file, 'one');
    const credentials = provider({ tokenFile: file });
    const token = async (): Promise<unknown> => (await credentials.current(signal)).headers['authorization'];
    expect(await token()).toBe('Bearer one');
    await writeFile(file, '\n');
    await clock.advance(10_000);
    expect(await token()).toBe('Bearer one');
    await writeFile(file, 'two');
    await clock.advance(10_000);
    expect(await token()).toBe('Bearer two');
    await writeFile(file, '');
    const other = await provider({ tokenFile: file, token: 'given' }).current(signal);
    expect(other.headers['authorization']).toBe('Bearer given');
  });

  it('change their fingerprint with the certificate, not with the token', async () => {
    const [certificate, key, token] = ['crt', 'key', 'token'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const path of [certificate, key, token]) await writeFile(path, 'a');
    const credentials = provider({
      clientCertificate: { certificate: { file: certificate }, key: { file: key } },
      tokenFile: token,
    });
    const first = await credentials.current(signal);
    await writeFile(token, 'b');
    credentials.invalidate();
    const second = await credentials.current(signal);
    expect([second.tls.fingerprint, second.headers['authorization']]).toEqual([first.tls.fingerprint, 'Bearer b']);
    await writeFile(certificate, 'b');
    credentials.invalidate();
    expect((await credentials.current(signal)).tls.fingerprint).not.toBe(first.tls.fingerprint);
  });
});

describe('credentials of a plugin', () => {
  it('stay in use until they expire or are rejected, with at most one process a second', async () => {
    let runs = 0;
    const credentials = provider({ exec: plugin }, async () => {
      runs += 1;
      const expirationTimestamp = new Date(clock.now() + 60_000).toISOString();
      return credential({ token: String(runs), expirationTimestamp });
    });
    const token = async (): Promise<unknown> => (await credentials.current(signal)).headers['authorization'];
    expect(await Promise.all([token(), token()])).toEqual(['Bearer 1', 'Bearer 1']);
    await clock.advance(59_000);
    expect(await token()).toBe('Bearer 1');
    await clock.advance(1000);
    expect(await token()).toBe('Bearer 2');
    credentials.invalidate();
    expect(await token()).toBe('Bearer 2');
    await clock.advance(1000);
    credentials.invalidate();
    expect(await token()).toBe('Bearer 3');
  });

  it.each<[string, string]>([
    ['{', 'its output is no JSON'],
    ['{"kind":"Secret"}', 'its output is no ExecCredential'],
    [credential({}), 'it returned neither a token nor a certificate'],
    [credential({ clientCertificateData: 'x' }), 'it returned a certificate without a key'],
    [credential({ token: 'hunter2', expirationTimestamp: 'soon' }), 'its expirationTimestamp is no time'],
    [
      JSON.stringify({ kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1beta1' }),
      'it returned apiVersion',
    ],
  ])('fail for the output %s', async (output, message) => {
    const failure: unknown = await provider({ exec: plugin }, async () => output)
      .current(signal)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ reason: 'InvalidCredentials' });
    expect(String(failure)).toContain(`exec plugin /bin/login: ${message}`);
    expect(String(failure)).not.toContain('hunter2');
  });

  it('do not hold a caller that is cancelled while the program hangs', async () => {
    const running = Promise.withResolvers<string>();
    const credentials = provider({ exec: plugin }, () => running.promise);
    const cancellation = new AbortController();
    const cancelled = credentials.current(cancellation.signal);
    const patient = credentials.current(signal);
    cancellation.abort(new Error('the watch is disposed of'));
    await expect(cancelled).rejects.toThrow('the watch is disposed of');
    running.resolve(credential({ token: 't' }));
    expect((await patient).headers).toEqual({ authorization: 'Bearer t' });
  });

  it('name the failure of the program, without its output', async () => {
    const missing = provider({ exec: { ...plugin, command: join(folder, 'missing') } });
    await expect(missing.current(signal)).rejects.toThrow('it does not exist\nInstall it from example.com.');
    const failing = provider({ exec: { ...plugin, command: '/bin/sh', args: ['-c', 'echo hunter2 >&2; exit 3'] } });
    await expect(failing.current(signal)).rejects.toThrow(/^cannot run exec plugin \/bin\/sh: it exited with 3$/);
    const info = provider({
      exec: {
        ...plugin,
        command: '/bin/sh',
        args: ['-c', 'case "$KUBERNETES_EXEC_INFO" in *ExecCredential*) exit 4;; esac'],
      },
    });
    await expect(info.current(signal)).rejects.toThrow('it exited with 4');
  });
});

describe('headers', () => {
  it('contain the password or the impersonated user', async () => {
    const basic = await provider({ basic: { username: 'a', password: 'b' } }).current(signal);
    expect(basic.headers).toEqual({ authorization: `Basic ${Buffer.from('a:b').toString('base64')}` });
    const impersonate = { user: 'jane', groups: ['dev', 'ops'], extra: { 'example.com/Scope': ['x'] } };
    expect((await provider({ token: 't', impersonate }).current(signal)).headers).toEqual({
      authorization: 'Bearer t',
      'impersonate-user': 'jane',
      'impersonate-group': ['dev', 'ops'],
      'impersonate-extra-example.com%2Fscope': ['x'],
    });
  });
});

describe('credentials of a kubeconfig that is read again', () => {
  it('follow the file, and stay while it cannot be used', async () => {
    let read = async (): Promise<KubeEndpoint> => ({ server: 'https://x', ca: { pem: 'one' }, token: 'a' });
    const logger = recordingLogger();
    const ports = { clock, hostFiles: createHostFiles(), runPlugin: runPluginProcess, logger };
    const credentials = createCredentialProvider({ ...ports, readEndpoint: () => read() }, await read());
    const current = async (): Promise<unknown[]> => {
      const { endpoint, tls, headers } = await credentials.current(signal);
      return [endpoint.server, tls.ca, headers['authorization']];
    };
    const before = await credentials.current(signal);
    read = async () => ({ server: 'https://y', ca: { pem: 'two' }, token: 'b' });
    expect(await current()).toEqual(['https://x', 'one', 'Bearer a']);
    await clock.advance(10_000);
    expect(await current()).toEqual(['https://y', 'two', 'Bearer b']);
    expect((await credentials.current(signal)).tls.fingerprint).not.toBe(before.tls.fingerprint);
    read = async () => Promise.reject(new Error('no context'));
    await clock.advance(10_000);
    expect(await current()).toEqual(['https://y', 'two', 'Bearer b']);
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { error: 'no context' } }]);
  });

  it('follow the file also when the first ones could not be read', async () => {
    const readEndpoint = async (): Promise<KubeEndpoint> => ({ server: 'https://x', token: 'mended' });
    const credentials = createCredentialProvider(
      { clock, hostFiles: createHostFiles(), runPlugin: runPluginProcess, readEndpoint },
      { server: 'https://x', ca: { file: join(folder, 'missing.crt') } },
    );
    await expect(credentials.current(signal)).rejects.toMatchObject({ reason: 'InvalidCredentials' });
    expect((await credentials.current(signal)).headers['authorization']).toBe('Bearer mended');
  });

  it('alternate with an issued certificate that the API server rejects', async () => {
    const issued = createCurrentValue<TlsKeyPair | undefined>({ certificatePem: 'issued', keyPem: 'k' });
    const own = { certificate: { pem: 'own' }, key: { pem: 'k' } };
    const credentials = createCredentialProvider(
      { clock, hostFiles: createHostFiles(), runPlugin: runPluginProcess, clientCertificate: issued },
      { server: 'https://x', clientCertificate: own },
    );
    const certificate = async (): Promise<unknown> => (await credentials.current(signal)).tls.certificate;
    expect(await certificate()).toBe('issued');
    credentials.reject();
    // The answer to another request of before.
    credentials.reject();
    expect(await certificate()).toBe('own');
    await clock.advance(10_000);
    credentials.reject();
    expect(await certificate()).toBe('issued');
    await clock.advance(10_000);
    credentials.reject();
    expect(await certificate()).toBe('own');
    issued.set({ certificatePem: 'renewed', keyPem: 'k' });
    expect(await certificate()).toBe('renewed');
  });
});
