import { dirname } from 'node:path';
import type { TlsKeyPair } from '@rxlet/kube-api/client';
import { type Clock, createLifetime, createProblemLog, errorMessage, type Logger, sleep } from '@rxlet/component-base';
import { createCurrentValue, type CurrentValue } from '@rxlet/component-base/streams';
import type { HostFiles } from '@rxlet/node-files';
import { type CertificateFiles, readPair } from '../store/read-pair.ts';
import { CertificateError } from '../x509/certificate.ts';

/** Ports of {@link createFileCertificate}. */
export interface FileCertificatePorts {
  readonly hostFiles: HostFiles;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A certificate that others write to files. */
export interface FileCertificate extends AsyncDisposable {
  readonly certificate: CurrentValue<TlsKeyPair | undefined>;
  /** Reads the files, and then every change. Rejects when they cannot be used. */
  start(): Promise<void>;
}

/** Also finds changes that a watch does not report, such as those of a link's target. */
const REREAD_MS = 60_000;

/** Creates a {@link FileCertificate}. Files that cannot be used leave the certificate as it was, because a change may be half done. */
export function createFileCertificate(
  { hostFiles, clock, logger }: FileCertificatePorts,
  { certFile, keyFile }: CertificateFiles,
): FileCertificate {
  const lifetime = createLifetime();
  const { signal } = lifetime;
  const value = createCurrentValue<TlsKeyPair | undefined>(undefined);
  lifetime.defer(() => value.complete());
  const problems = createProblemLog(logger);
  let endPause: (() => void) | undefined;
  let isChanged = false;

  const read = async (): Promise<TlsKeyPair> => {
    const found = await readPair({ hostFiles, clock }, { certFile, keyFile }, signal);
    if (found === undefined) throw new CertificateError(`${certFile} does not exist`);
    return found.pair;
  };
  const reread = async (): Promise<void> => {
    try {
      const next = await read();
      problems.ended();
      if (JSON.stringify(next) === JSON.stringify(value.value)) return;
      value.set(next);
      logger.info('the files of the serving certificate changed', { certFile, keyFile });
    } catch (error) {
      signal.throwIfAborted();
      const message = 'cannot use the files of the serving certificate; the previous one is used';
      problems.failed(message, { certFile, keyFile, error: errorMessage(error) });
    }
  };
  const onChange = (): void => {
    isChanged = true;
    endPause?.();
  };
  const watch = (directory: string): void => {
    const watching = hostFiles.watch(directory, {
      onChange,
      onEnd: (error) => logger.debug('a watch ended', { directory, error: error.message }),
    });
    lifetime.defer(() => watching[Symbol.dispose]());
  };
  const nextChange = async (): Promise<void> => {
    const waiting = new AbortController();
    endPause = () => waiting.abort();
    if (isChanged) endPause();
    await sleep(clock, REREAD_MS, AbortSignal.any([signal, waiting.signal])).catch(() => undefined);
    endPause = undefined;
    isChanged = false;
  };
  const run = async (): Promise<void> => {
    for (;;) {
      await nextChange();
      signal.throwIfAborted();
      await reread();
    }
  };

  return {
    certificate: value,
    start: () =>
      lifetime.track(
        (async () => {
          try {
            value.set(await read());
          } catch (error) {
            throw new CertificateError(
              `cannot use the serving certificate ${certFile} with the key ${keyFile}: ${errorMessage(error)}`,
              { cause: error },
            );
          }
          for (const directory of new Set([dirname(certFile), dirname(keyFile)])) {
            try {
              watch(directory);
            } catch (error) {
              logger.debug('cannot watch a folder', { directory, error: errorMessage(error) });
            }
          }
          lifetime.track(run()).catch((error: unknown) => {
            if (!signal.aborted)
              logger.error('the files of the serving certificate are not read any more', {
                error: errorMessage(error),
              });
          });
        })(),
      ),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
