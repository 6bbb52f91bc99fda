import { readFile } from 'node:fs/promises';
import { errorMessage } from '@rxlet/component-base';
import { ApiError, type FakeKube, type IncomingObject } from '@rxlet/fake-kube';
import { parseAllDocuments } from 'yaml';

/** A file of the command line cannot be used; the message names it, and the object that is wrong. */
export class ObjectsFileError extends Error {
  override readonly name = 'ObjectsFileError';
}

/**
 * Creates the objects of a manifest, in their order. Lists count as their items.
 *
 * @param keepsExisting whether objects that exist already stay as they are; otherwise they are an error
 * @throws ObjectsFileError
 */
export async function loadObjects(kube: FakeKube, path: string, keepsExisting = false): Promise<void> {
  for (const object of await readObjects(path)) {
    try {
      kube.objects.apply(object);
    } catch (error) {
      if (!(error instanceof ApiError) && !(error instanceof TypeError)) throw error;
      if (keepsExisting && error instanceof ApiError && error.reason === 'AlreadyExists') continue;
      const { kind = 'object', metadata } = object;
      throw new ObjectsFileError(`${path}: cannot create ${kind} "${metadata?.name ?? ''}": ${error.message}`, {
        cause: error,
      });
    }
  }
}

async function readObjects(path: string): Promise<readonly IncomingObject[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new ObjectsFileError(`cannot read ${path}: ${errorMessage(error)}`, { cause: error });
  }
  const documents = parseAllDocuments(text);
  const values = ('empty' in documents ? [] : documents).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new ObjectsFileError(`${path}: ${error.message.split('\n')[0]!}`);
    return document.toJS() as unknown;
  });
  return values.flatMap((value): readonly IncomingObject[] => {
    if (value === null) return [];
    if (typeof value !== 'object' || Array.isArray(value)) {
      throw new ObjectsFileError(`${path}: a document is no object`);
    }
    const object = value as IncomingObject;
    return Array.isArray(object['items']) ? (object['items'] as readonly IncomingObject[]) : [object];
  });
}
