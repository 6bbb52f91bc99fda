import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@rxlet/component-base';
import { createFakeKube, nodeUser, serveFakeKube } from '@rxlet/fake-kube';
import type { CertificateSigningRequest, Node, Pod } from '@rxlet/kube-api';
import { eventually } from '@rxlet/test-containerd/eventually';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeAgentFolders, runRxlet, startAgent } from './test-support/agent-process.ts';

const nodes = { group: '', plural: 'nodes' };
const signingRequests = { group: 'certificates.k8s.io', plural: 'certificatesigningrequests' };
const pods = { group: '', plural: 'pods' };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rxlet-cluster-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('joins the cluster of --kubeconfig and runs the pods that are bound to it', async () => {
  await using kube = createFakeKube({ clock: systemClock, random: systemRandom }, { authorization: 'node' });
  await using server = await serveFakeKube(kube);
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, await server.kubeconfig(nodeUser('node1')), { mode: 0o600 });
  const folders = await makeAgentFolders(folder, { providerID: 'test:///node1' });
  await using agent = startAgent(folders, '--fake-runtime', '--kubeconfig', kubeconfig, '--node-labels', 'disk=ssd');

  const node = (): Node | undefined => kube.objects.get(nodes, 'node1') as Node | undefined;
  const isReady = async (): Promise<boolean> => node()?.status?.conditions?.at(-1)?.status === 'True';
  await eventually('the node is ready', isReady, agent.output);
  expect(node()).toMatchObject({ metadata: { labels: { disk: 'ssd' } }, spec: { providerID: 'test:///node1' } });
  expect(node()?.status?.nodeInfo?.osImage).not.toBe('');

  kube.objects.apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      nodeName: 'node1',
      nodeSelector: { disk: 'ssd' },
      containers: [{ name: 'app', image: 'registry.example/app:1' }],
    },
  });
  const pod = (): Pod | undefined => kube.objects.get(pods, 'web', 'default') as Pod | undefined;
  await eventually('the pod runs', async () => pod()?.status?.phase === 'Running', agent.output);
  kube.objects.delete(pods, 'web', 'default', 1);
  await eventually('the pod is deleted', async () => pod() === undefined, agent.output);
  expect(await agent.end('SIGTERM')).toBe(0);
  expect(server.connections()).toBe(0);
});

it('reports in one line why a kubeconfig cannot be used', async () => {
  const args = ['--fake-runtime', '--root-dir', join(folder, 'other'), '--kubeconfig'];
  const missing = await runRxlet(...args, join(folder, 'missing'));
  expect(missing).toMatchObject({ exitCode: 1, stdout: '' });
  expect(missing.stderr).toContain(`cannot read the kubeconfig ${join(folder, 'missing')}: it does not exist`);
  expect((await runRxlet(...args, '')).exitCode).toBe(2);
});

it('requests its client certificate by --bootstrap-kubeconfig', async () => {
  const bootstrapper = { name: 'system:bootstrap:abcdef', groups: ['system:bootstrappers', 'system:authenticated'] };
  const token = 'abcdef.0123456789abcdef';
  await using kube = createFakeKube(
    { clock: systemClock, random: systemRandom },
    { authorization: 'node', tokens: { [token]: bootstrapper } },
  );
  await using server = await serveFakeKube(kube);
  const place = (name: string): string => join(folder, 'tls', name);
  const folders = await makeAgentFolders(folder, { rotateCertificates: true });
  await mkdir(place('.'), { recursive: true });
  await writeFile(place('bootstrap'), server.tokenKubeconfig('bootstrap', token), { mode: 0o600 });
  const requests = (): CertificateSigningRequest[] =>
    kube.objects.list(signingRequests) as unknown as CertificateSigningRequest[];
  const isReady = async (): Promise<boolean> =>
    (kube.objects.get(nodes, 'node1') as Node | undefined)?.status?.conditions?.at(-1)?.status === 'True';
  const files = async (): Promise<string[]> =>
    (await readdir(place('pki'))).map((name) => name.replace(/\d[\d-]+/, '<date>')).sort();
  const given = ['--kubeconfig', place('kubelet.conf'), '--bootstrap-kubeconfig', place('bootstrap')];
  await using agent = startAgent(folders, '--fake-runtime', ...given, '--cert-dir', place('pki'));
  await eventually('the node is ready', isReady, agent.output);
  expect(await files()).toEqual(['kubelet-client-<date>.pem', 'kubelet-client-current.pem']);
  expect(await readFile(place('kubelet.conf'), 'utf8')).toContain(place('pki/kubelet-client-current.pem'));
  expect(requests().map(({ spec }) => `${spec.signerName} ${spec.username ?? ''}`)).toEqual([
    'kubernetes.io/kube-apiserver-client-kubelet system:bootstrap:abcdef',
  ]);
  expect(kube.requests().filter(({ user }) => user === 'system:anonymous')).toEqual([]);
});
