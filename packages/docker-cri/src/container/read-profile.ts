import { errorMessage } from '@rxlet/component-base';
import { ServiceError, StatusCode } from '@rxlet/cri-api';
import type { HostFiles } from '@rxlet/node-files';

const MAX_BYTES = 1024 * 1024;

/** Returns the text of a seccomp profile; `undefined` when no file is named. Rejects with InvalidArgument when it cannot be read. */
export async function readProfile(files: HostFiles, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const fail = (why: string): ServiceError =>
    new ServiceError(StatusCode.InvalidArgument, `cannot read the seccomp profile ${path}: ${why}`);
  try {
    const file = await files.read(path, MAX_BYTES);
    if (file !== undefined) return Buffer.from(file.bytes).toString('utf8');
  } catch (error) {
    throw fail(errorMessage(error));
  }
  throw fail('it does not exist');
}
