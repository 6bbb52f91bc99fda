import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { constants, Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import type { CodeCache } from './code-cache.ts';

/** Parameters of a CommonJS module. */
type ModuleFunction = (
  exports: object,
  require: (name: string) => unknown,
  module: { exports: object },
  filename: string,
  dirname: string,
) => void;

interface Chunk {
  readonly module: { exports: object };
  readonly script: Script;
  /** CRC-32 of the source that runs. The file may have been replaced since. */
  readonly sourceChecksum: number;
  /** The script has the code that an earlier process recorded. */
  readonly isCached: boolean;
}

/**
 * Loads the CommonJS chunks of a bundle with the code that V8 compiled for them in an earlier process, the functions that it compiled while they ran included. Node's own
 * compile cache has the outermost code of a module alone, so that each process compiles its functions again.
 */
export class BundleLoader {
  readonly #folder: string;
  readonly #cache: CodeCache;
  readonly #require: NodeJS.Require;
  readonly #chunks = new Map<string, Chunk>();
  /** Version and flags of V8. Code that is recorded under other ones would be rejected. */
  readonly #versionTag = cachedDataVersionTag();

  /** @param folder where the chunks are */
  constructor(folder: string, cache: CodeCache) {
    this.#folder = folder;
    this.#cache = cache;
    this.#require = createRequire(join(folder, 'main.cjs'));
  }

  /** Whether all code that was loaded so far had been recorded. */
  get isComplete(): boolean {
    return [...this.#chunks.values()].every(({ isCached }) => isCached);
  }

  /** Returns the exports of the chunk `name`, which runs at the first call. */
  load(name: string): object {
    const loaded = this.#chunks.get(name);
    if (loaded !== undefined) return loaded.module.exports;
    const filename = join(this.#folder, name);
    const source = readFileSync(filename);
    const sourceChecksum = crc32(source);
    const cachedData = this.#cache.read(name, sourceChecksum);
    // Chunks are ASCII.
    const code = source.toString('latin1');
    const script = new Script(`(function(exports,require,module,__filename,__dirname){${code}\n})`, {
      filename,
      ...(cachedData !== undefined && { cachedData }),
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    const isCached = cachedData !== undefined && script.cachedDataRejected === false;
    const module = { exports: {} };
    this.#chunks.set(name, { module, script, sourceChecksum, isCached });
    const run = script.runInThisContext() as ModuleFunction;
    run(module.exports, (required) => this.#resolve(required), module, filename, this.#folder);
    return module.exports;
  }

  /** Records the code of all chunks for the next process, if that of one was missing. Does nothing where it cannot write, or under other flags of V8 than at the start. */
  record(): void {
    if (this.isComplete || cachedDataVersionTag() !== this.#versionTag) return;
    for (const [name, { script, sourceChecksum }] of this.#chunks) {
      if (!this.#cache.write(name, sourceChecksum, script.createCachedData())) return;
    }
  }

  #resolve(name: string): unknown {
    return name.startsWith('./') ? this.load(name.slice(2)) : this.#require(name);
  }
}
