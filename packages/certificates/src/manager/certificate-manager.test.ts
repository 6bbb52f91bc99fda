import { seededRandom } from '@rxlet/component-base';
import { nodeUser } from '@rxlet/fake-kube';
import { expect, it } from 'vitest';
import { createTestNode } from '../test-support.ts';
import { parseCertificate } from '../x509/certificate.ts';
import { nodeSubject } from '../x509/certificate-subject.ts';
import { createSelfSigned } from '../x509/self-signed.ts';
import { createCertificateManager } from './certificate-manager.ts';
import { newKeys } from './request-keys.ts';

it('requests names once that a signer leaves out', async () => {
  await using node = await createTestNode({ approvesNodeCertificates: true });
  const { clock, logger, clientOf } = node;
  const client = clientOf(nodeUser('node1'));
  let dnsNames = ['wanted'];
  await using manager = createCertificateManager(
    {
      store: {
        currentPath: '/current.pem',
        load: async () => undefined,
        update: async () => {
          const pair = await createSelfSigned({ clock, random: seededRandom(1) }, 'other');
          return parseCertificate(pair.certificatePem, pair.keyPem);
        },
      },
      keys: newKeys,
      connect: async () => ({ client, [Symbol.asyncDispose]: async () => undefined }),
      clock,
      logger,
      random: seededRandom(2),
    },
    {
      signerName: 'kubernetes.io/kubelet-serving',
      extendedUsage: 'server auth',
      subject: () => ({ ...nodeSubject('node1'), dnsNames }),
      isSubjectDynamic: true,
    },
  );
  await manager.start();
  await node.until(() => manager.certificate.value !== undefined);
  await clock.advance(120_000);
  expect(node.signingRequests()).toHaveLength(1);
  dnsNames = ['wanted', 'another'];
  await clock.advance(2000);
  expect(node.signingRequests()).toHaveLength(2);
});
