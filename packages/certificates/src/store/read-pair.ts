import { type Clock, sleep } from '@rxlet/component-base';
import type { HostFiles } from '@rxlet/node-files';
import { type Certificate, CertificateError, parseCertificate } from '../x509/certificate.ts';
import { readPem } from './read-pem.ts';

/** Files of a certificate and its key. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Ports of {@link readPair}. */
export interface ReadPairPorts {
  readonly hostFiles: HostFiles;
  readonly clock: Clock;
}

const ATTEMPTS = 10;
const PAUSE_MS = 100;

/**
 * Reads a certificate and its key; `undefined` when there is neither file. Two files are written one after the other, so those that do not fit are read again for a
 * second.
 *
 * @throws CertificateError when they cannot be used
 */
export async function readPair(
  { hostFiles, clock }: ReadPairPorts,
  { certFile, keyFile }: CertificateFiles,
  signal?: AbortSignal,
): Promise<Certificate | undefined> {
  const attempts = certFile === keyFile ? 1 : ATTEMPTS;
  for (let attempt = 1; ; attempt += 1) {
    const [certificate, key] = [await readPem(hostFiles, certFile), await readPem(hostFiles, keyFile)];
    if (certificate === undefined && key === undefined) return undefined;
    try {
      if (certificate === undefined || key === undefined)
        throw new CertificateError(`${certificate === undefined ? certFile : keyFile} does not exist`);
      return parseCertificate(certificate, key);
    } catch (error) {
      if (!(error instanceof CertificateError) || attempt === attempts) throw error;
    }
    await sleep(clock, PAUSE_MS, signal);
  }
}
