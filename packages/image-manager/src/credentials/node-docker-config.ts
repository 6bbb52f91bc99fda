import { join } from 'node:path';
import { type Clock, errorMessage, type Logger, withDeadline } from '@rxlet/component-base';
import type { ConfigFiles } from './config-files.ts';
import { type DockerConfigEntry, parseDockercfg, parseDockerConfigJson } from './docker-config.ts';
import { createKeyring, type Keyring } from './keyring.ts';
import type { PullCredential } from './pull-credential.ts';
import { warnOfInvalidRegistries } from './pull-secrets.ts';

/** Where the node's docker config may lie. */
export interface DockerConfigPlaces {
  /** The agent's root directory, e.g. `/var/lib/kubelet`. */
  readonly rootDirectory: string;
  readonly workingDirectory: string;
  /** `$HOME`. Absent: not looked into. */
  readonly homeDirectory?: string | undefined;
}

/** The docker config of the node, whose credentials are for every pod on it. */
export interface NodeDockerConfig {
  /** Never rejects but for the signal. What was read is kept for {@link DOCKER_CONFIG_LIFETIME_MS}. */
  keyring(signal?: AbortSignal): Promise<Keyring<PullCredential>>;
}

/** For how long a docker config is not read again, found or not. */
export const DOCKER_CONFIG_LIFETIME_MS = 300_000;
/** A larger docker config is left aside. */
export const MAX_DOCKER_CONFIG_BYTES = 1_048_576;
/** A file system that does not answer within this time has no docker config. */
const READ_TIMEOUT_MS = 10_000;

const empty: Keyring<PullCredential> = createKeyring([]);

/**
 * Creates a {@link NodeDockerConfig}. The first file that reads and parses is the one that counts: `config.json` in the root directory, the working
 * directory, `$HOME/.docker` and `/.docker`; then `.dockercfg` in the root directory, the working directory, `$HOME` and `/`.
 */
export function createNodeDockerConfig(
  ports: { readonly clock: Clock; readonly files: ConfigFiles; readonly logger: Logger },
  places: DockerConfigPlaces,
): NodeDockerConfig {
  const { clock, files, logger } = ports;
  const candidates = dockerConfigPaths(places);
  /** What was said of a file, so that it is said once and not every five minutes. */
  const told = new Map<string, string>();
  let kept: { readonly keyring: Promise<Keyring<PullCredential>>; readonly untilMs: number } | undefined;

  const tell = (file: string, problem: string | undefined, wayOut = ''): void => {
    if (problem === told.get(file)) return;
    if (problem === undefined) {
      told.delete(file);
      return;
    }
    told.set(file, problem);
    logger.warn(`${file}: ${problem}; ${wayOut}`, { file });
  };

  const readOne = async ([file, parse]: Candidate): Promise<readonly DockerConfigEntry[] | undefined> => {
    try {
      const found = await files.read(file, MAX_DOCKER_CONFIG_BYTES);
      if (found === undefined) {
        tell(file, undefined);
        return undefined;
      }
      if ((found.mode & 0o002) !== 0) throw new Error('every user may write to it');
      const entries = parse(found.text);
      const isOpen = (found.mode & 0o004) !== 0 && entries.length > 0;
      tell(file, isOpen ? 'every user may read the credentials in it' : undefined, 'chmod 0600 it');
      return entries;
    } catch (error) {
      tell(file, `this docker config cannot be used: ${errorMessage(error)}`, 'repair or remove it');
      return undefined;
    }
  };

  const read = async (signal: AbortSignal): Promise<Keyring<PullCredential>> => {
    for (const candidate of candidates) {
      const entries = await readOne(candidate);
      signal.throwIfAborted();
      if (entries === undefined) continue;
      const keyring = createKeyring(
        entries.map(({ registry, credential: auth }) => ({
          registry,
          credential: { auth, origin: { kind: 'node' } as const },
        })),
      );
      warnOfInvalidRegistries(logger, candidate[0], keyring.invalidRegistries);
      return keyring;
    }
    return empty;
  };

  const readInTime = async (): Promise<Keyring<PullCredential>> => {
    try {
      return await withDeadline(clock, READ_TIMEOUT_MS, undefined, read);
    } catch (error) {
      logger.warn('the docker config of the node could not be read; images are pulled without it', {
        error: errorMessage(error),
      });
      return empty;
    }
  };

  return {
    async keyring(signal) {
      const nowMs = clock.monotonicNow();
      if (kept === undefined || nowMs >= kept.untilMs) {
        kept = { keyring: readInTime(), untilMs: nowMs + DOCKER_CONFIG_LIFETIME_MS };
      }
      const { keyring } = kept;
      return withDeadline(clock, Infinity, signal, () => keyring);
    },
  };
}

type Candidate = readonly [file: string, parse: (text: string) => readonly DockerConfigEntry[]];

/** The files that may be the docker config, in the order in which a kubelet looks for them. */
export function dockerConfigPaths({ rootDirectory, workingDirectory, homeDirectory }: DockerConfigPlaces): Candidate[] {
  const home = homeDirectory === undefined || homeDirectory === '' ? [] : [homeDirectory];
  const own = [rootDirectory, workingDirectory];
  const docker = [...home, '/'].map((folder) => join(folder, '.docker'));
  const json = [...own, ...docker].map((folder): Candidate => [join(folder, 'config.json'), parseDockerConfigJson]);
  const legacy = [...own, ...home, '/'].map((folder): Candidate => [join(folder, '.dockercfg'), parseDockercfg]);
  return [...json, ...legacy];
}
