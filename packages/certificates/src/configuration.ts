import { resolve } from 'node:path';
import {
  KubeletConfigurationError,
  type ModuleConfiguration,
  type NodeConfiguration,
} from '@rxlet/agent-api/configuration';
import { createNodeFiles } from '@rxlet/node-files';
import { servingCertificates, type ServingCertificatesOptions } from './serving/serving-certificate-module.ts';

/** Default of `--cert-dir`, whatever the root directory is, as in the kubelet. */
const DEFAULT_DIRECTORY = '/var/lib/kubelet/pki';

/** Configuration of the module `servingCertificates`. Programs that serve the kubelet's API over HTTPS list the module with {@link toServingCertificates}. */
export const servingCertificatesConfiguration: ModuleConfiguration<ServingCertificatesOptions> = {
  name: 'serving-certificate',
  gates: ['AllowDNSOnlyNodeCSR'],
  fields: ['serverTLSBootstrap', 'tlsCertFile', 'tlsPrivateKeyFile'],
  flags: ['cert-dir'],
  help: [
    {
      flag: 'cert-dir',
      argument: 'folder',
      text: 'certificates and keys (default: /var/lib/kubelet/pki; pki in --root-dir with --fake-runtime)',
    },
  ],
  options: () => undefined,
  module: servingCertificates,
};

/** Returns the options. @throws KubeletConfigurationError for a certificate without a key, and a key without a certificate */
export function toServingCertificates({
  configuration,
  flags,
  gates,
}: Pick<NodeConfiguration, 'configuration' | 'flags' | 'gates'>): ServingCertificatesOptions {
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
