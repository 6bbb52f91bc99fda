import type { KubeTransport, TransportRequest, TransportResponse } from '@rxlet/kube-client';
import { X509Certificate } from 'node:crypto';
import { KubeError } from '@rxlet/kube-api/client';
import { clientCertificatePath, createClientCertificate } from '@rxlet/certificates';
import { noopLogger, sleep, systemClock } from '@rxlet/component-base';
import { noopMetrics } from '@rxlet/component-base/metrics';
import type { CertificateSigningRequest } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { createKubeClient, loadNodeKubeconfig } from '@rxlet/kube-client';
import { createCertificateAuthority, type FakeKube, type User } from '@rxlet/fake-kube';
import type { TestNode } from '@rxlet/testing';
import type { RequestClient } from './recording.ts';

/** Sends a request with a client's credentials. */
export type SendAs = (request: TransportRequest, client: RequestClient, user: User) => Promise<TransportResponse>;

/** The client certificate of a node that starts with bootstrap credentials. Disposal stops its renewal. */
export interface Bootstrap extends AsyncDisposable {
  /** Sends requests by the certificate, as soon as there is one. */
  readonly transport: KubeTransport;
}

/** Folder of the certificates, and the files of `--bootstrap-kubeconfig` and `--kubeconfig`. */
export const PKI = '/root/pki';
const BOOTSTRAP_KUBECONFIG = '/bootstrap-kubeconfig';
export const KUBECONFIG = '/root/kubeconfig';
const BOOTSTRAPPER: User = {
  name: 'system:bootstrap:abcdef',
  groups: ['system:bootstrappers', 'system:authenticated'],
};
const { certificateSigningRequests } = resources;

/** Requests the client certificate of a node, as the program of the agent does. */
export async function startBootstrap(
  { clock, random, files }: TestNode,
  {
    send,
    withhold,
    nodeName,
    userAgent,
  }: {
    readonly send: SendAs;
    /** Records a request that there are no credentials for. */
    readonly withhold: (request: TransportRequest) => void;
    readonly nodeName: string;
    readonly userAgent: string;
  },
): Promise<Bootstrap> {
  const { nodeFiles, hostFiles } = files;
  files.put(
    BOOTSTRAP_KUBECONFIG,
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: 'https://192.0.2.10:6443' } }],
      users: [{ name: 'u', user: { token: 'abcdef.0123456789abcdef' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  );
  const certificatePath = clientCertificatePath(PKI);
  await loadNodeKubeconfig(
    { hostFiles, files: nodeFiles, clock, logger: noopLogger },
    { path: KUBECONFIG, bootstrapPath: BOOTSTRAP_KUBECONFIG, certificatePath },
  );
  const initial: KubeTransport = { send: (request) => send(request, 'bearer', BOOTSTRAPPER) };
  const transport: KubeTransport = {
    send: async (request) => {
      if (manager.certificate.value !== undefined) {
        const user = userOf(manager.certificate.value.certificatePem);
        return send(request, user.name, user);
      }
      withhold(request);
      throw new KubeError('InvalidCredentials', 'the node has no valid client certificate yet');
    },
  };
  const connect = async (hasCertificate: boolean) => ({
    client: createKubeClient({ transport: hasCertificate ? transport : initial, clock, random }, { userAgent }),
    [Symbol.asyncDispose]: async () => undefined,
  });
  const ports = { files: nodeFiles, hostFiles, connect, clock, random, logger: noopLogger, metrics: noopMetrics };
  const manager = createClientCertificate(ports, { nodeName, directory: PKI });
  await manager.start();
  return { transport, [Symbol.asyncDispose]: () => manager[Symbol.asyncDispose]() };
}

/** Returns the user that an API server takes a certificate for. */
function userOf(certificatePem: string): User {
  const { CN, O } = new X509Certificate(certificatePem).toLegacyObject().subject as Record<string, string>;
  return { name: CN!, groups: [O!, 'system:authenticated'] };
}

/** Approves the requests for certificates as an operator, and waits until the node has stored what was issued. */
export async function approveCertificates(node: TestNode, kube: FakeKube, signer: string): Promise<void> {
  const requests = (): readonly CertificateSigningRequest[] =>
    (kube.objects.list(certificateSigningRequests) as unknown as readonly CertificateSigningRequest[]).filter(
      ({ spec }) => spec.signerName === signer,
    );
  await untilSigned(node, () => requests().length > 0);
  const conditions = [{ type: 'Approved', status: 'True', reason: 'KubectlApprove', message: '' }];
  for (const { metadata } of requests())
    kube.objects.merge(
      certificateSigningRequests,
      metadata?.name ?? '',
      undefined,
      { status: { conditions } },
      'approval',
    );
  const link = signer.endsWith('serving') ? 'kubelet-server-current.pem' : 'kubelet-client-current.pem';
  await untilSigned(node, () => node.files.text(`${PKI}/${link}`) !== undefined);
}

const SIGNING_STEPS = 10_000;

/** Waits for a signature: it is made by a thread of its own, in real time. */
export async function untilSigned(node: TestNode, condition: () => boolean): Promise<void> {
  const { signal } = new AbortController();
  for (let step = 0; !condition(); step += 1) {
    if (step === SIGNING_STEPS) throw new Error('no certificate was requested or signed');
    await sleep(systemClock, 1, signal);
    await node.advance(1);
  }
}

/** Returns what a signing request asks for, in the form of the recordings. Another implementation of X.509 reads it, and checks its signature. */
export async function describeSigningRequest(
  { clock, random }: TestNode,
  encodedRequest: string,
): Promise<Readonly<Record<string, unknown>>> {
  const pem = Buffer.from(encodedRequest, 'base64').toString();
  const der = Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
  const authority = await createCertificateAuthority({ clock, random });
  const certificate = new X509Certificate(await authority.sign(pem, []));
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
  const isP256 = asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1';
  const names = certificate.subjectAltName?.split(', ').map((name) => name.replace(/^.*?:/, ''));
  return {
    subject: certificate.subject.split('\n').toReversed().join(','),
    key: isP256 ? 'ECPublicKey secp256r1' : asymmetricKeyType,
    sigalg: der.includes(ECDSA_WITH_SHA256) ? 'sha256' : 'other',
    ...(names !== undefined && { san: names }),
  };
}

/** Object identifier 1.2.840.10045.4.3.2. */
const ECDSA_WITH_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex');

/** Returns the files of the certificates: modes, targets of links, and where the kubeconfig refers to. */
export async function certificateFiles({ files }: TestNode): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const entry of files.paths()) {
    const [path = '', target] = entry.replaceAll(/\d{4}(-\d\d){5}/g, '<date>').split(' -> ');
    if (!path.startsWith(`${PKI}/`)) continue;
    const { mode = 0 } = (await files.hostFiles.stat(entry.split(' -> ')[0]!)) ?? {};
    found[path] = target === undefined ? (mode & 0o777).toString(8).padStart(4, '0') : `-> ${target}`;
  }
  const references = files.text(KUBECONFIG)?.match(/client-(certificate|key): .*/g);
  return { ...found, [KUBECONFIG]: references?.join(', ') ?? '' };
}
