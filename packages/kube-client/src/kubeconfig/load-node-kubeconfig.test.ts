import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { createCertificateAuthority } from '@rxlet/fake-kube';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it } from 'vitest';
import { loadNodeKubeconfig } from './load-node-kubeconfig.ts';

const PATH = '/etc/kubernetes/kubelet.conf';
const BOOTSTRAP = '/etc/kubernetes/bootstrap-kubelet.conf';
const CERTIFICATE = '/var/lib/kubelet/pki/kubelet-client-current.pem';
const bootstrap = `
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", certificate-authority: pki/ca.crt, tls-server-name: kube}}]
users: [{name: tls-bootstrap-token-user, user: {token: abcdef.0123456789abcdef}}]
contexts: [{name: x, context: {cluster: c, user: tls-bootstrap-token-user}}]
current-context: x
`;
const endpoint = {
  server: 'https://10.0.0.1:6443',
  ca: { file: '/etc/kubernetes/pki/ca.crt' },
  tlsServerName: 'kube',
  clientCertificate: { certificate: { file: CERTIFICATE }, key: { file: CERTIFICATE } },
};

function createNode() {
  const clock = createVirtualClock();
  const memory = createMemoryFiles({ files: { [BOOTSTRAP]: bootstrap } });
  const logger = recordingLogger();
  const load = (bootstrapPath: string | undefined = BOOTSTRAP) =>
    loadNodeKubeconfig(
      { hostFiles: memory.hostFiles, files: memory.nodeFiles, clock, logger },
      { path: PATH, bootstrapPath, certificatePath: CERTIFICATE },
    );
  const warnings = () => logger.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields['error']);
  return { clock, memory, load, warnings };
}

describe('the kubeconfig of a node', () => {
  it('is written from the bootstrap kubeconfig, without its token', async () => {
    const { memory, load, warnings } = createNode();
    expect(await load()).toMatchObject({ endpoint, needsBootstrap: true });
    expect(memory.info(PATH)?.mode).toBe(0o600);
    expect(memory.text(PATH)).toBe(`apiVersion: v1
kind: Config
clusters:
  - name: default-cluster
    cluster:
      certificate-authority: /etc/kubernetes/pki/ca.crt
      tls-server-name: kube
      server: https://10.0.0.1:6443
contexts:
  - name: default-context
    context:
      cluster: default-cluster
      namespace: default
      user: default-auth
current-context: default-context
preferences: {}
users:
  - name: default-auth
    user:
      client-certificate: ${CERTIFICATE}
      client-key: ${CERTIFICATE}
`);
    expect(warnings()).toEqual([]);
  });

  it('stays once its certificate is there, and is replaced when that has expired', async () => {
    const { clock, memory, load, warnings } = createNode();
    await load();
    expect((await load()).needsBootstrap).toBe(true);
    const authority = await createCertificateAuthority({ clock, random: seededRandom(1) });
    const pair = await authority.issue({ commonName: 'system:node:node1', usages: ['client auth'] });
    memory.put(CERTIFICATE, pair.certificatePem + pair.keyPem);
    memory.remove(BOOTSTRAP);
    expect(await load()).toMatchObject({ endpoint, needsBootstrap: false });
    memory.put(BOOTSTRAP, bootstrap.replace('10.0.0.1', '10.0.0.2'));
    await clock.advance(86_400_001);
    expect(await load()).toMatchObject({ endpoint: { server: 'https://10.0.0.2:6443' }, needsBootstrap: true });
    expect(warnings()).toEqual([
      `${CERTIFICATE} does not exist`,
      'its client certificate expired at 2026-01-02T00:00:00.000Z',
    ]);
  });

  it.each([
    ['is no kubeconfig', 'garbage'],
    ['has no certificate', bootstrap],
    ['is empty', ''],
  ])('is replaced when it %s', async (_, text) => {
    const { memory, load, warnings } = createNode();
    memory.put(PATH, text);
    expect((await load()).needsBootstrap).toBe(true);
    expect(memory.text(PATH)).toContain('default-auth');
    expect(warnings()).toHaveLength(1);
  });

  it('reports a kubeconfig that cannot be written', async () => {
    const { memory, load } = createNode();
    memory.fault = (operation) => {
      if (operation === 'replaceFile') throw Object.assign(new Error('read-only file system'), { code: 'EROFS' });
    };
    await expect(load()).rejects.toThrow(`cannot write the kubeconfig ${PATH}: read-only file system`);
  });

  it('must be there without a bootstrap kubeconfig, and that without a kubeconfig', async () => {
    const { memory, load } = createNode();
    memory.remove(BOOTSTRAP);
    await expect(load()).rejects.toThrow(`cannot read the kubeconfig ${BOOTSTRAP}: it does not exist`);
    const { memory: other, ...node } = createNode();
    other.put(PATH, bootstrap);
    expect(
      await loadNodeKubeconfig(
        { hostFiles: other.hostFiles, files: other.nodeFiles, clock: node.clock, logger: recordingLogger() },
        { path: PATH, certificatePath: CERTIFICATE },
      ),
    ).toMatchObject({
      endpoint: { token: 'abcdef.0123456789abcdef' },
      needsBootstrap: false,
    });
  });
});
