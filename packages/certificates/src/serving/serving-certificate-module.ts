import { type AgentModule, contribute, type ModuleContext, type ModuleParts, provide } from '@rxlet/agent-api';
import { nodeProblems } from '@rxlet/agent-api/journal';
import { kubeClients, servingCertificate } from '@rxlet/agent-api/kube';
import { nodeObject } from '@rxlet/agent-api/node';
import type { NodeFiles } from '@rxlet/node-files';
import { observeExpiry, servingMetrics } from '../certificate-metrics.ts';
import { expiryProblem } from '../expiry-problem.ts';
import { createCertificateManager } from '../manager/certificate-manager.ts';
import { newKeys } from '../manager/request-keys.ts';
import { createCertificateStore } from '../store/certificate-store.ts';
import { servingSubject } from '../x509/certificate-subject.ts';
import type { CertificateFiles } from '../store/read-pair.ts';
import { createFileCertificate, type FileCertificate } from './file-certificate.ts';
import { ensureSelfSignedFiles, selfSignedFiles } from './self-signed-files.ts';

/** Options of {@link servingCertificates}. */
export interface ServingCertificatesOptions {
  /** Directory of the certificates (`--cert-dir`). */
  readonly directory: string;
  /** Files of the certificate (KubeletConfiguration `tlsCertFile`, `tlsPrivateKeyFile`). Default: a self-signed certificate in the directory. */
  readonly certificateFiles?: CertificateFiles | undefined;
  /** Whether the certificate is requested from the API server (KubeletConfiguration `serverTLSBootstrap`). Default false. */
  readonly isRequested?: boolean | undefined;
  /** Whether a node without an IP address may have a certificate (feature gate AllowDNSOnlyNodeCSR). Default false. */
  readonly allowsDnsOnly?: boolean | undefined;
  /** Files of the directory, where it is none of the agent's other directories. Default: the agent's. */
  readonly files?: NodeFiles | undefined;
}

/** Creates the agent module that keeps the certificate of the node's own API: of files, self-signed, or requested from the API server and renewed. */
export function servingCertificates(options: ServingCertificatesOptions): AgentModule {
  return {
    name: 'serving-certificate',
    uses: [kubeClients, nodeObject],
    provides: [servingCertificate],
    setup(context): ModuleParts {
      const certificate =
        options.isRequested === true ? requestedCertificate(context, options) : filesCertificate(context, options);
      return {
        services: [provide(servingCertificate, certificate.certificate)],
        contributions: [
          contribute(nodeProblems, {
            part: 'certificates',
            problem() {
              const { value } = certificate.certificate;
              return value && expiryProblem('serving certificate', value.certificatePem, context.clock.now());
            },
          }),
        ],
        start: () => certificate.start(),
        [Symbol.asyncDispose]: () => certificate[Symbol.asyncDispose](),
      };
    },
  };
}

function requestedCertificate(
  { services, node, hostFiles, metrics, logger: parentLogger, ...context }: ModuleContext,
  { directory, certificateFiles, allowsDnsOnly = false, files = context.files }: ServingCertificatesOptions,
): FileCertificate {
  const logger = parentLogger.child({ certificate: 'serving' });
  const { clock, random } = context;
  const client = services.find(kubeClients)?.main;
  const object = services.find(nodeObject);
  const store = createCertificateStore(
    { files, hostFiles, clock, logger },
    { name: 'kubelet-server', directory, initialFiles: certificateFiles },
  );
  const connect = client && (async () => ({ client, [Symbol.asyncDispose]: async () => undefined }));
  if (connect === undefined) logger.warn('no serving certificate is requested: the node has no API server');
  const manager = createCertificateManager(
    { store, keys: newKeys, connect, clock, random, logger, observer: servingMetrics(metrics) },
    {
      signerName: 'kubernetes.io/kubelet-serving',
      extendedUsage: 'server auth',
      subject: () => {
        const known = object?.cached();
        // Without a uid, it is the one that the agent would register: the addresses count once the API server has them.
        const addresses = known?.metadata?.uid === undefined ? [] : (known.status?.addresses ?? []);
        return servingSubject(node.name, addresses, allowsDnsOnly);
      },
      isSubjectDynamic: true,
    },
  );
  observeExpiry(metrics, 'server', clock, manager);
  return manager;
}

function filesCertificate(
  { clock, random, hostFiles, logger, node, ...context }: ModuleContext,
  { directory, certificateFiles, files = context.files }: ServingCertificatesOptions,
): FileCertificate {
  const given = certificateFiles ?? selfSignedFiles(directory);
  const certificate = createFileCertificate({ hostFiles, clock, logger }, given);
  if (certificateFiles !== undefined) return certificate;
  return {
    certificate: certificate.certificate,
    async start() {
      await ensureSelfSignedFiles({ files, hostFiles, clock, random, logger }, given, node.name);
      await certificate.start();
    },
    [Symbol.asyncDispose]: () => certificate[Symbol.asyncDispose](),
  };
}
