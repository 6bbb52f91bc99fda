import { X509Certificate } from 'node:crypto';
import { type Clock, errorMessage, type Lifetime, type Logger } from '@rxlet/component-base';
import { createCurrentValue, type CurrentValue } from '@rxlet/component-base/streams';
import type { HostFiles } from '@rxlet/node-files';
import type { TrustedAuthorities } from '../access/client-certificate.ts';

/** Certificates of the authorities whose clients are known. */
export interface ClientAuthorities extends TrustedAuthorities {
  readonly pem: string;
}

const MAX_BYTES = 4 * 1024 * 1024;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
/** Time between two looks at the file. */
const CHECK_PERIOD_MS = 5000;

/** Parses a file of certificates. @throws Error when there is none, or one is malformed */
export function parseAuthorities(pem: string): ClientAuthorities {
  const certificates = (pem.match(CERTIFICATE) ?? []).map((block) => new X509Certificate(block).raw);
  if (certificates.length === 0) throw new Error('there is no certificate in it');
  const known = new Set(certificates.map((der) => der.toString('base64')));
  return { pem, has: (der) => known.has(Buffer.from(der).toString('base64')) };
}

/** Reads the authorities of clients from a file, and again whenever it changes. A file that cannot be used leaves those before in effect, and is read again with each check. @throws Error when it cannot be used at first */
export async function followAuthorities(
  {
    hostFiles,
    clock,
    logger,
  }: { readonly hostFiles: Pick<HostFiles, 'read' | 'stat'>; readonly clock: Clock; readonly logger: Logger },
  path: string,
  lifetime: Lifetime,
): Promise<CurrentValue<ClientAuthorities>> {
  const versionOf = async (): Promise<string | undefined> => (await hostFiles.stat(path))?.version;
  const read = async (): Promise<ClientAuthorities> => {
    const file = await hostFiles.read(path, MAX_BYTES);
    if (file === undefined) throw new Error('there is no such file');
    return parseAuthorities(Buffer.from(file.bytes).toString());
  };
  let version = await versionOf();
  const authorities = createCurrentValue(
    await read().catch((error: unknown) => {
      throw new Error(`cannot read the file of client authorities ${path}: ${errorMessage(error)}`, { cause: error });
    }),
  );
  let lastProblem = '';
  const check = async (): Promise<void> => {
    let problem = '';
    try {
      const now = await versionOf();
      if (now === version) return;
      authorities.set(await read());
      version = now;
      logger.info('new client authorities are in effect', { path });
    } catch (error) {
      problem = errorMessage(error);
      if (problem !== lastProblem) logger.error('cannot read the file of client authorities', { path, error: problem });
    } finally {
      lastProblem = problem;
    }
  };
  const schedule = (): void => {
    timer = clock.setTimer(CHECK_PERIOD_MS, () => void lifetime.track(check().finally(schedule)));
  };
  let timer = clock.setTimer(CHECK_PERIOD_MS, () => void lifetime.track(check().finally(schedule)));
  lifetime.defer(() => {
    timer[Symbol.dispose]();
    authorities.complete();
  });
  return authorities;
}
