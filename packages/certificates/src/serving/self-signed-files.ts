import { dirname, join } from 'node:path';
import type { Clock, Logger, Random } from '@rxlet/component-base';
import type { HostFiles, NodeFiles } from '@rxlet/node-files';
import type { CertificateFiles } from '../store/read-pair.ts';
import { readPem } from '../store/read-pem.ts';
import { CertificateError } from '../x509/certificate.ts';
import { createSelfSigned } from '../x509/self-signed.ts';

/** Ports of {@link ensureSelfSignedFiles}. */
export interface SelfSignedPorts {
  readonly files: NodeFiles;
  readonly hostFiles: HostFiles;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  readonly logger: Logger;
}

/** Returns the files of the certificate that a node makes for itself. */
export function selfSignedFiles(directory: string): CertificateFiles {
  return { certFile: join(directory, 'kubelet.crt'), keyFile: join(directory, 'kubelet.key') };
}

/** Creates a certificate for a host, unless there is one. An expired one stays, as in the kubelet: clients of a self-signed certificate do not verify it. */
export async function ensureSelfSignedFiles(
  { files, hostFiles, clock, random, logger }: SelfSignedPorts,
  { certFile, keyFile }: CertificateFiles,
  host: string,
): Promise<void> {
  const [certificate, key] = [await readPem(hostFiles, certFile), await readPem(hostFiles, keyFile)];
  if (certificate !== undefined && key !== undefined) return;
  // The key is written first: an interrupted start leaves a key alone, which nothing trusts yet.
  if (certificate !== undefined)
    throw new CertificateError(`cannot read ${keyFile}: a certificate and its key must be supplied as a pair`);
  const pair = await createSelfSigned({ clock, random }, host);
  await files.makeDirectory(dirname(certFile), 0o755);
  await files.replaceFile(keyFile, pair.keyPem, 0o600);
  await files.replaceFile(certFile, pair.certificatePem, 0o644);
  logger.info('created a self-signed serving certificate', { certFile, keyFile });
}
