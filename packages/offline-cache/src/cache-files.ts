import type { Logger } from '@rxlet/component-base';
import { type NodeFiles, UnsafeFileError } from '@rxlet/node-files';
import { CacheError } from './cache-error.ts';
import { formatCache, parseCache } from './cache-content.ts';
import type { KeptCopy } from './kept-copy.ts';
import { KEY_BYTES, NONCE_BYTES, seal, SEAL_BYTES, unseal } from './sealed-content.ts';

/** Ports of {@link createCacheFiles}. */
export interface CacheFilesPorts {
  readonly files: NodeFiles;
  readonly logger: Logger;
  /** Returns unpredictable bytes, for keys and nonces. */
  readonly secretBytes: (length: number) => Uint8Array;
}

/** Options of {@link createCacheFiles}. */
export interface CacheFilesOptions {
  /** Directory of the cache, which other users cannot enter. */
  readonly directory: string;
  readonly nodeName: string;
  /** Largest size of the cache. */
  readonly maxBytes: number;
}

/** The cache on disk: a key of the node, made once, and the objects, encrypted with it. */
export interface CacheFiles {
  /** Reads the cache; nothing when there is none. What cannot be trusted is set aside with an error in the log. Rejects when the files cannot be read. */
  load(): Promise<readonly KeptCopy[]>;
  /** Replaces the cache. @returns the number of copies that had no room in it */
  save(copies: readonly KeptCopy[]): Promise<number>;
}

/** Creates {@link CacheFiles}. Saving needs a successful load. */
export function createCacheFiles(
  { files, logger, secretBytes }: CacheFilesPorts,
  options: CacheFilesOptions,
): CacheFiles {
  const { directory, nodeName, maxBytes } = options;
  const keyPath = `${directory}/key`;
  const objectsPath = `${directory}/objects`;
  let key: Uint8Array | undefined;

  const setAside = async (path: string, error: Error): Promise<void> => {
    const movedTo = `${path}.corrupt`;
    await files.rename(path, movedTo);
    logger.error('cannot use the offline cache, it is set aside', { path, error: error.message, movedTo });
  };
  const readKey = async (): Promise<Uint8Array | CacheError> => {
    try {
      const text = await files.readPrivate(keyPath, 2 * KEY_BYTES + 1);
      if (text === undefined) return new CacheError('its key is missing');
      const bytes = Buffer.from(text, 'hex');
      return bytes.length === KEY_BYTES ? bytes : new CacheError(`its key ${keyPath} is damaged`);
    } catch (error) {
      if (error instanceof UnsafeFileError) return new CacheError(`its key cannot be trusted: ${error.message}`);
      throw error;
    }
  };
  const createKey = async (): Promise<Uint8Array> => {
    const bytes = secretBytes(KEY_BYTES);
    await files.replaceFile(keyPath, Buffer.from(bytes).toString('hex'), 0o600);
    return bytes;
  };
  const readObjects = async (): Promise<Uint8Array | undefined> => {
    const info = await files.stat(objectsPath);
    if (info === undefined) return undefined;
    if (info.kind !== 'file' || info.sizeBytes > maxBytes + SEAL_BYTES)
      throw new CacheError('it is no file, or too large');
    return files.readFile(objectsPath, maxBytes + SEAL_BYTES);
  };

  return {
    async load() {
      await files.makeDirectory(directory, 0o700);
      await files.closeToOthers(directory);
      const known = await readKey();
      try {
        const sealed = await readObjects();
        if (sealed === undefined) return [];
        if (known instanceof CacheError) throw known;
        return parseCache(new TextDecoder().decode(unseal(sealed, known, nodeName)));
      } catch (error) {
        if (!(error instanceof CacheError)) throw error;
        await setAside(objectsPath, error);
        return [];
      } finally {
        key = known instanceof CacheError ? await createKey() : known;
      }
    },
    async save(copies) {
      if (key === undefined) throw new Error(`the key in ${directory} is not known`);
      const { text, omitted } = formatCache(copies, maxBytes);
      const content = new TextEncoder().encode(text);
      await files.replaceFile(objectsPath, seal(content, key, secretBytes(NONCE_BYTES), nodeName), 0o600);
      return omitted;
    },
  };
}
