import { join } from 'node:path';
import type { TlsKeyPair } from '@rxlet/kube-api/client';
import type { Clock, Logger, Random } from '@rxlet/component-base';
import type { Metrics } from '@rxlet/component-base/metrics';
import type { HostFiles, NodeFiles } from '@rxlet/node-files';
import {
  type CertificateConnection,
  type CertificateManager,
  createCertificateManager,
} from '../manager/certificate-manager.ts';
import { createKeptKeys, newKeys } from '../manager/request-keys.ts';
import { createCertificateStore } from '../store/certificate-store.ts';
import { nodeSubject } from '../x509/certificate-subject.ts';
import { clientMetrics, observeExpiry } from '../certificate-metrics.ts';

/** Ports of {@link createClientCertificate}. */
export interface ClientCertificatePorts {
  /** Must include the directory of the certificates. */
  readonly files: NodeFiles;
  readonly hostFiles: HostFiles;
  /**
   * Returns a client for one request. With `true` it uses the certificate of the manager, otherwise the credentials that the node has been given to begin with. A
   * rejection is retried.
   */
  readonly connect: (hasCertificate: boolean) => Promise<CertificateConnection>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Options of {@link createClientCertificate}. */
export interface ClientCertificateOptions {
  readonly nodeName: string;
  /** Directory of the certificates (`--cert-dir`). */
  readonly directory: string;
  /** Files of a certificate to start with, where the directory has none. */
  readonly initialFiles?: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** A certificate to start with, where there is none that is valid. It is stored and renewed at once. */
  readonly initialPair?: TlsKeyPair | undefined;
  /** Whether the certificate is renewed (KubeletConfiguration `rotateCertificates`). Default true. Without it, the key is kept until the first certificate is there. */
  readonly rotates?: boolean | undefined;
}

const SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
const USAGE = 'client auth';
const KEPT_APPROVAL_TIMEOUT_MS = 3_600_000;

/** Returns the path of the link to the current client certificate and its key. */
export function clientCertificatePath(directory: string): string {
  return join(directory, 'kubelet-client-current.pem');
}

/** Creates the client certificate of a node: requested with bootstrap credentials, stored, and renewed before it expires. */
export function createClientCertificate(
  ports: ClientCertificatePorts,
  { nodeName, directory, initialFiles, initialPair, rotates = true }: ClientCertificateOptions,
): CertificateManager {
  const { files, clock, metrics } = ports;
  const logger = ports.logger.child({ certificate: 'client' });
  const observer = clientMetrics(metrics);
  const manager = createCertificateManager(
    {
      ...ports,
      logger,
      observer,
      store: createCertificateStore({ ...ports, logger }, { name: 'kubelet-client', directory, initialFiles }),
      keys: rotates ? newKeys : createKeptKeys(files, join(directory, 'kubelet-client.key.tmp'), USAGE),
    },
    {
      signerName: SIGNER,
      extendedUsage: USAGE,
      subject: () => nodeSubject(nodeName),
      isSubjectDynamic: false,
      isRotated: rotates,
      initialPair,
      approvalTimeoutMs: rotates ? undefined : KEPT_APPROVAL_TIMEOUT_MS,
    },
  );
  observeExpiry(metrics, 'client', clock, manager);
  return manager;
}
