import { resolve } from 'node:path';
import type { ServingCertificatesOptions } from '@rxlet/certificates';
import { KubeletConfigurationError, type LoadedConfiguration } from '@rxlet/kubelet-config';
import { createNodeFiles } from '@rxlet/node-files';

/** Default of `--cert-dir`, whatever the root directory is, as in the kubelet. */
const DEFAULT_DIRECTORY = '/var/lib/kubelet/pki';

/** Returns the options of the module `servingCertificates`. @throws KubeletConfigurationError for a certificate without a key, and a key without a certificate */
export function toServingCertificates({
  configuration,
  flags,
  gates,
}: Pick<LoadedConfiguration, 'configuration' | 'flags' | 'gates'>): ServingCertificatesOptions {
  const directory = resolve((flags.get('cert-dir') as string | undefined) || DEFAULT_DIRECTORY);
  const { tlsCertFile: certFile, tlsPrivateKeyFile: keyFile, serverTLSBootstrap } = configuration;
  if (Boolean(certFile) !== Boolean(keyFile)) {
    const message = 'tlsCertFile and tlsPrivateKeyFile need each other';
    throw new KubeletConfigurationError('start', [message]);
  }
  return {
    directory,
    certificateFiles: certFile && keyFile ? { certFile, keyFile } : undefined,
    isRequested: serverTLSBootstrap ?? false,
    allowsDnsOnly: gates.isEnabled('AllowDNSOnlyNodeCSR'),
    files: createNodeFiles({ roots: [directory] }),
  };
}
