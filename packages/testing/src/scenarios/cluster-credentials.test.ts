import { clusterCertificates, clusterTrust } from '@rxlet/cluster-pods';
import type { PodSpec } from '@rxlet/kube-api';
import { type PodCertificateRequest, resources } from '@rxlet/kube-api/resources';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createTestCluster } from '../test-cluster.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nbGVhZg==\n-----END CERTIFICATE-----\n';
const SIGNER = 'example.com/signer';
const volume = '/root/pods/uid/volumes/kubernetes.io~projected/credentials';

const spec: Partial<PodSpec> = {
  serviceAccountName: 'default',
  containers: [{ name: 'app', image: 'app:1', volumeMounts: [{ name: 'credentials', mountPath: '/credentials' }] }],
  volumes: [
    {
      name: 'credentials',
      projected: {
        defaultMode: 0o644,
        sources: [
          { clusterTrustBundle: { name: 'roots', path: 'roots.pem' } },
          { podCertificate: { signerName: SIGNER, keyType: 'ECDSAP256', credentialBundlePath: 'bundle.pem' } },
        ],
      },
    },
  ],
};

it('a node of a cluster projects trust bundles and certificates of pods with the rights of a kubelet', async () => {
  const cluster = createTestCluster();
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  const { node, kube } = cluster;
  kube.objects.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
  kube.objects.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'default' } });
  const metadata = { name: 'roots' };
  const apiVersion = 'certificates.k8s.io/v1beta1';
  kube.objects.apply({ apiVersion, kind: 'ClusterTrustBundle', metadata, spec: { trustBundle: PEM } });
  await cluster.start({ modules: [clusterTrust(), clusterCertificates()] });
  const pod = cluster.bind('web', spec);
  const requests = () =>
    kube.objects.list(resources.podCertificateRequests) as unknown as readonly PodCertificateRequest[];
  // Keys are generated in real time, during which the virtual clock must not run away.
  await vi.waitFor(
    async () => {
      await node.advance(100);
      expect(requests()).toHaveLength(1);
    },
    { timeout: 30_000, interval: 20 },
  );
  expect(node.running()).toEqual([]);
  const [request] = requests();
  expect(request?.spec).toMatchObject({ podName: 'web', nodeName: 'node1', signerName: SIGNER });
  const status = {
    conditions: [{ type: 'Issued', status: 'True' }],
    certificateChain: PEM,
    beginRefreshAt: '2099-01-01T00:00:00Z',
    notAfter: '2099-02-01T00:00:00Z',
  };
  const name = request!.metadata!.name!;
  kube.objects.merge(resources.podCertificateRequests, name, 'default', { status }, 'status');
  await node.until(() => node.running().length > 0, 10_000);
  const directory = volume.replace('uid', pod.metadata!.uid!);
  expect(node.files.text(`${directory}/roots.pem`)).toBe(PEM);
  const bundle = node.files.text(`${directory}/bundle.pem`);
  expect(bundle?.startsWith('-----BEGIN PRIVATE KEY-----\n')).toBe(true);
  expect(bundle?.endsWith(PEM)).toBe(true);
  const secretLine = bundle!.split('\n')[1]!;
  expect(JSON.stringify(node.logger.lines)).not.toContain(secretLine);
});
