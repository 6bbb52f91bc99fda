import { join } from 'node:path';
import { type Clock, errorMessage, type Logger } from '@rxlet/component-base';
import type { HostFiles, NodeFiles } from '@rxlet/node-files';
import { type Certificate, CertificateError, parseCertificate } from '../x509/certificate.ts';
import { type CertificateFiles, readPair } from './read-pair.ts';

/** The certificates of one use in a directory, the kubelet's layout: `<name>-<date>.pem`, and the link `<name>-current.pem`. */
export interface CertificateStore {
  /** Path of the link to the current certificate and key, which may lead nowhere yet. */
  readonly currentPath: string;
  /** Returns the current certificate, expired or not; `undefined` when there is none that can be used. */
  load(): Promise<Certificate | undefined>;
  /** Stores a certificate with its key, and makes it the current one. @throws CertificateError when it cannot be used */
  update(certificatePem: string, keyPem: string): Promise<Certificate>;
}

/** Ports of {@link createCertificateStore}. */
export interface CertificateStorePorts {
  /** Must include the directory of the certificates. */
  readonly files: NodeFiles;
  readonly hostFiles: HostFiles;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Options of {@link createCertificateStore}. */
export interface CertificateStoreOptions {
  /** `kubelet-client` or `kubelet-server`. */
  readonly name: string;
  /** Directory of the certificates (`--cert-dir`). */
  readonly directory: string;
  /** Files to start with, where the directory has none. */
  readonly initialFiles?: CertificateFiles | undefined;
}

const DIRECTORY_MODE = 0o755;
const PRIVATE_MODE = 0o600;
/** Expired keys are of no use; the last ones stay to find the cause of a failure. */
const KEPT_FILES = 5;

/** Creates a {@link CertificateStore} (client-go: certificate.FileStore). */
export function createCertificateStore(
  { files, hostFiles, clock, logger }: CertificateStorePorts,
  { name, directory, initialFiles }: CertificateStoreOptions,
): CertificateStore {
  const pathOf = (qualifier: string): string => join(directory, `${name}-${qualifier}.pem`);
  const [currentPath, updatedPath] = [pathOf('current'), pathOf('updated')];

  /** Completes an update that was interrupted between its two last steps. */
  const recover = async (): Promise<void> => {
    if ((await files.stat(currentPath)) !== undefined) return;
    const updated = await files.stat(updatedPath);
    if (updated?.kind === 'symlink') await files.rename(updatedPath, currentPath);
  };

  /** The current file stays also when the clock was set back, so that its stamp is not the last one. */
  const removeOutdated = async (current: string): Promise<void> => {
    const stamp = /^-\d{4}(-\d\d){5}\.pem$/;
    const stored = (await files.list(directory)).filter(
      (entry) => entry.startsWith(name) && stamp.test(entry.slice(name.length)) && join(directory, entry) !== current,
    );
    for (const entry of stored.sort().slice(0, 1 - KEPT_FILES)) await files.removeFile(join(directory, entry));
  };

  return {
    currentPath,
    async load() {
      await recover();
      const pairs = [
        { certFile: currentPath, keyFile: currentPath },
        ...(initialFiles === undefined || initialFiles.certFile === currentPath ? [] : [initialFiles]),
        { certFile: join(directory, `${name}.crt`), keyFile: join(directory, `${name}.key`) },
      ];
      for (const { certFile, keyFile } of pairs) {
        try {
          const found = await readPair({ hostFiles, clock }, { certFile, keyFile });
          if (found !== undefined) return found;
        } catch (error) {
          if (!(error instanceof CertificateError)) throw error;
          logger.warn('cannot use a stored certificate', { path: certFile, error: errorMessage(error) });
        }
      }
      return undefined;
    },
    async update(certificatePem, keyPem) {
      const certificate = parseCertificate(certificatePem, keyPem);
      const path = pathOf(localStamp(clock.now()));
      await files.makeDirectory(directory, DIRECTORY_MODE);
      await files.replaceFile(path, certificate.pair.certificatePem + certificate.pair.keyPem, PRIVATE_MODE);
      await files.symlink(path, updatedPath);
      await files.rename(updatedPath, currentPath);
      await removeOutdated(path).catch((error: unknown) =>
        logger.warn('cannot remove outdated certificates', { directory, error: errorMessage(error) }),
      );
      return certificate;
    },
  };
}

/** Formats a time as in the names of the kubelet's files: local time, `2006-01-02-15-04-05`. */
function localStamp(ms: number): string {
  const date = new Date(ms);
  const parts = [date.getMonth() + 1, date.getDate(), date.getHours(), date.getMinutes(), date.getSeconds()];
  return [date.getFullYear(), ...parts.map((part) => String(part).padStart(2, '0'))].join('-');
}
