import { describe, expect, it } from 'vitest';
import { inClusterEndpoint } from './load-kubeconfig.ts';
import { parseKubeconfig } from './parse-kubeconfig.ts';

const EXEC_V1 = 'client.authentication.k8s.io/v1';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
/** A file with one cluster and one user. */
function file(cluster: object, user: object, more: object = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
    ...more,
  });
}
const parse = (cluster: object, user: object, more: object = {}) =>
  parseKubeconfig(file(cluster, user, more), '/etc/kubernetes/kubelet.conf');

describe('parseKubeconfig', () => {
  it('reads a YAML file as kubeadm writes it', () => {
    const text = `
apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${base64('CA')}
    server: https://10.0.0.1:6443/
  name: default-cluster
contexts:
- context: {cluster: default-cluster, namespace: default, user: default-auth}
  name: default-context
current-context: default-context
kind: Config
users:
- name: default-auth
  user:
    client-certificate: /var/lib/kubelet/pki/kubelet-client-current.pem
    client-key: /var/lib/kubelet/pki/kubelet-client-current.pem
`;
    const pem = { file: '/var/lib/kubelet/pki/kubelet-client-current.pem' };
    expect(parseKubeconfig(text, '/etc/kubernetes/kubelet.conf')).toMatchObject({
      server: 'https://10.0.0.1:6443',
      ca: { pem: 'CA' },
      clientCertificate: { certificate: pem, key: pem },
    });
  });

  it('takes relative paths from the folder of the file, and data before files', () => {
    const endpoint = parse(
      {
        'certificate-authority': 'ca.crt',
        'tls-server-name': 'kube',
        'proxy-url': 'socks5://proxy:1080',
        'disable-compression': true,
      },
      {
        'client-certificate': 'ignored',
        'client-certificate-data': base64('CERT'),
        'client-key': '../key.pem',
        tokenFile: 'token',
      },
    );
    expect(endpoint).toMatchObject({
      ca: { file: '/etc/kubernetes/ca.crt' },
      tlsServerName: 'kube',
      proxyUrl: 'socks5://proxy:1080',
      isCompressionDisabled: true,
      clientCertificate: { certificate: { pem: 'CERT' }, key: { file: '/etc/key.pem' } },
      tokenFile: '/etc/kubernetes/token',
    });
  });

  it('reads exec plugins, passwords and impersonation', () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './bin/login',
      args: ['a'],
      env: [{ name: 'A', value: 'b' }],
      provideClusterInfo: true,
      interactiveMode: 'Never',
    };
    expect(parse({}, { exec }).exec).toEqual({
      apiVersion: exec.apiVersion,
      command: '/etc/kubernetes/bin/login',
      args: ['a'],
      env: { A: 'b' },
      installHint: undefined,
      cluster: { server: 'https://10.0.0.1:6443' },
    });
    expect(parse({}, { username: 'a', password: 'b' }).basic).toEqual({ username: 'a', password: 'b' });
    expect(parse({}, { as: 'jane', 'as-groups': ['dev'], 'as-user-extra': { scope: ['x'] } }).impersonate).toEqual({
      user: 'jane',
      uid: undefined,
      groups: ['dev'],
      extra: { scope: ['x'] },
    });
  });

  it('uses another context by its name', () => {
    const contexts = [
      { name: 'x', context: { cluster: 'c', user: 'u' } },
      { name: 'y', context: { cluster: 'c' } },
    ];
    expect(parseKubeconfig(file({}, { token: 't' }, { contexts }), '/config', 'y').token).toBeUndefined();
    expect(parseKubeconfig(file({}, { token: 't' }, { contexts }), '/config').token).toBe('t');
  });

  it.each<[string, string]>([
    ['[', 'Flow sequence'],
    ['', 'it is no object'],
    ['kind: Pod', 'its kind is "Pod", not "Config"'],
    [file({}, {}, { 'current-context': '' }), 'it has no current-context'],
    [file({}, {}, { 'current-context': 'z' }), 'contexts has no entry "z"'],
    [file({}, {}, { clusters: 3 }), 'clusters is no list'],
    [file({ server: '' }, {}), 'cluster "c" has no server'],
    [file({ server: 'ftp://x' }, {}), 'server "ftp://x" is no http or https URL'],
    [file({ 'certificate-authority-data': '%%%' }, {}), 'certificate-authority-data is no base64'],
    [file({ 'insecure-skip-tls-verify': true, 'certificate-authority': 'x' }, {}), 'with insecure-skip-tls-verify'],
    [file({ 'proxy-url': 'gopher://x' }, {}), 'proxy-url is no http, https or socks5 URL'],
    [file({}, { 'client-certificate': 'x' }), 'a client certificate without a key'],
    [file({}, { 'auth-provider': { name: 'gcp' } }), 'uses an auth-provider'],
    [file({}, { token: 7 }), 'token is no string'],
    [
      file({}, { exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1alpha1' } }),
      'exec has the apiVersion',
    ],
    [file({}, { exec: { apiVersion: 'client.authentication.k8s.io/v1' } }), 'exec has no command'],
    [file({}, { 'as-groups': ['a'] }), 'as-groups and as-uid need as'],
    [file({}, { as: 'jane', 'as-groups': 'dev' }), 'as-groups is no list'],
    [file({}, { as: 'jane', 'as-user-extra': { scope: 'x' } }), 'as-user-extra has a value that is no list'],
    [file({}, { exec: { command: 'login', apiVersion: EXEC_V1, args: 'get-token' } }), 'args is no list'],
    [file({}, { exec: { command: 'login', apiVersion: EXEC_V1, env: { A: 'b' } } }), 'env is no list'],
    [
      file({}, { exec: { command: 'login', apiVersion: EXEC_V1, env: [{ name: 'A' }, null] } }),
      'env is no list of names and values',
    ],
  ])('rejects %s', (text, message) => {
    expect(() => parseKubeconfig(text, '/config')).toThrow(message);
    expect(() => parseKubeconfig(text, '/config')).toThrow(/^cannot use the kubeconfig \/config: /);
  });

  it('shows no credentials in messages', () => {
    const text = `users:\n- name: u\n  user: {token: hunter2, "\n`;
    expect(() => parseKubeconfig(text, '/config')).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('hunter2') as string }) as Error,
    );
  });
});

describe('inClusterEndpoint', () => {
  it('uses the mounted service account', () => {
    expect(inClusterEndpoint({ KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' })).toEqual({
      server: 'https://[fd00::1]:443',
      ca: { file: '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt' },
      tokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
    });
    expect(() => inClusterEndpoint({})).toThrow('KUBERNETES_SERVICE_HOST');
  });
});
