import { readFile } from 'node:fs/promises';
import { errorMessage } from '@rxlet/component-base';
import type { TlsKeyPair } from '@rxlet/kube-api/client';
import { InputFileError } from './input-file-error.ts';

/** Reads a certificate with its chain, and its key, as PEM. @throws InputFileError */
export async function readKeyPair({
  certificate,
  key,
}: {
  readonly certificate: string;
  readonly key: string;
}): Promise<TlsKeyPair> {
  const read = async (path: string): Promise<string> => {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      throw new InputFileError(`cannot read ${path}: ${errorMessage(error)}`, { cause: error });
    }
  };
  return { certificatePem: await read(certificate), keyPem: await read(key) };
}
