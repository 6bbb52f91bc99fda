import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { errorMessage } from '@rxlet/component-base';
import { CgroupsUnavailable } from './cgroup-file-system.ts';

/** Fails unless the agent may create cgroups in a directory. @throws CgroupsUnavailable */
export async function requireWritable(directory: string): Promise<void> {
  try {
    await access(directory, constants.W_OK);
  } catch (error) {
    throw new CgroupsUnavailable(`cannot create cgroups: ${errorMessage(error)}`, { cause: error });
  }
}
