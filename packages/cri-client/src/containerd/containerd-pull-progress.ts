import { errorMessage, type Logger, noopLogger } from '@rxlet/component-base';
import type { PullInFlight, PullProgress, PullProgressReader, PullProgressSource } from '@rxlet/cri-api/pull-progress';
import {
  type ContentSource,
  contentOfManifest,
  contentSourceOf,
  type ImageContent,
  progressOf,
} from './image-content.ts';
import { type ContentStore, openContentStore, type StoredContent } from './content-store.ts';

/** Options of {@link containerdPullProgress}. */
export interface ContainerdPullProgressOptions {
  /** Absolute path of containerd's socket, which also serves CRI. */
  readonly socketPath: string;
  /** Namespace of the CRI plugin. Default `k8s.io`. */
  readonly namespace?: string;
}

/** Label by which the manifest of an image keeps its configuration. No other content has it. */
const MANIFEST_LABEL = 'containerd.io/gc.ref.content.config';

/** Bounds the manifests of one repository that are considered. */
const MAX_MANIFESTS = 100;

/** A pull as of the last read. */
interface Pull {
  readonly source: ContentSource | undefined;
  /** Digest of the manifest, once it is found. */
  manifest?: string;
  /** Whether some manifest may be that of the pull or of another. */
  isAmbiguous?: boolean;
  /** Content of the manifest, once it is read; `undefined` if it cannot be read. */
  content?: ImageContent | undefined;
  /** Content that was present in the last look-up. */
  present: ReadonlySet<string>;
  /** Content that was being written in the last read. */
  writing: string;
}

/**
 * Creates a source of the progress of pulls from containerd's own content store (`containerd.services.content.v1`), on a connection of its own. A pull is recognized by
 * the manifest that containerd has labelled with the repository since the pull began, and its bytes by the digests in that manifest. Where two pulls of one repository
 * begin at the same time, nothing is reported until it is known which manifest belongs to which. A layer that containerd does not download because it is unpacked
 * already counts as missing if its content is absent (`discard_unpacked_layers`).
 */
export function containerdPullProgress(
  { logger = noopLogger }: { readonly logger?: Logger },
  { socketPath, namespace = 'k8s.io' }: ContainerdPullProgressOptions,
): PullProgressSource {
  return {
    name: 'containerd content store',
    open: () => createReader(openContentStore(socketPath, namespace), logger),
  };
}

/** Creates a reader of a content store, which it disposes of. */
export function createReader(store: ContentStore, logger: Logger): PullProgressReader {
  /** The pulls of the last read. */
  let known = new Map<PullInFlight, Pull>();

  const findManifests = async (signal: AbortSignal): Promise<void> => {
    const sought = [...known].filter(([, { manifest, source }]) => manifest === undefined && source !== undefined);
    if (sought.length === 0) return;
    const listed = await store.list([...new Set(sought.map(([, { source }]) => manifestFilter(source!)))], signal);
    const taken = new Set([...known.values()].map(({ manifest }) => manifest));
    const free = listed.filter(({ digest }) => !taken.has(digest)).slice(0, MAX_MANIFESTS);
    const manifests = await Promise.all(
      free.map(async (content) => ({ ...content, labelledMs: await store.labelledMs(content.digest, signal) })),
    );
    const candidatesOf = ({ startedMs }: PullInFlight, { source }: Pull) =>
      manifests.filter((content) => content.labelledMs >= Math.floor(startedMs) && isOf(content, source!));
    for (const [inFlight, pull] of sought) {
      const candidates = candidatesOf(inFlight, pull);
      const [only] = candidates;
      const isRival = ([other, { source }]: [PullInFlight, Pull]) => other !== inFlight && isOf(only!, source!);
      if (only === undefined || candidates.length > 1 || sought.some(isRival)) {
        pull.isAmbiguous = only !== undefined;
        continue;
      }
      pull.content = await readManifest(only.digest, signal);
      pull.manifest = only.digest;
    }
  };
  const readManifest = async (digest: string, signal: AbortSignal): Promise<ImageContent | undefined> => {
    const bytes = await store.read(digest, signal);
    try {
      return contentOfManifest(bytes);
    } catch (error) {
      logger.debug('cannot parse the manifest of an image', { digest, error: errorMessage(error) });
      return undefined;
    }
  };

  /** Looks up which content is complete, where that may have changed since the last read. */
  const findPresent = async (written: ReadonlyMap<string, number>, signal: AbortSignal): Promise<void> => {
    const changed = [...known.values()].filter((pull) => {
      const writing = [...(pull.content?.keys() ?? [])].filter((digest) => written.has(digest)).join();
      const isChanged = writing === '' || writing !== pull.writing;
      pull.writing = writing;
      return isChanged && missingOf(pull).length > 0;
    });
    const missing = new Set(changed.flatMap(missingOf));
    if (missing.size === 0) return;
    const listed = await store.list(
      Array.from(missing, (digest) => `digest==${digest}`),
      signal,
    );
    for (const pull of changed) {
      const found = listed.filter(({ digest }) => pull.content?.has(digest)).map(({ digest }) => digest);
      pull.present = new Set([...pull.present, ...found]);
    }
  };

  return {
    async read(pulls, signal) {
      known = new Map(
        pulls.map((pull) => [
          pull,
          known.get(pull) ?? { source: contentSourceOf(pull.image), present: new Set(), writing: '' },
        ]),
      );
      const written = await store.written(signal);
      await findManifests(signal);
      await findPresent(written, signal);
      const assigned = new Set([...known.values()].flatMap(({ content }) => [...(content?.keys() ?? [])]));
      // Layers that cannot be assigned may belong to any pull without a manifest.
      const hasStrays = [...written.keys()].some((digest) => !assigned.has(digest));
      return pulls.map((pull): PullProgress | undefined => {
        const { source, manifest, content, present, isAmbiguous } = known.get(pull)!;
        if (content !== undefined) return progressOf(content, present, written);
        if (source === undefined || manifest !== undefined || isAmbiguous === true || hasStrays) return undefined;
        return { step: 'resolving' };
      });
    },
    [Symbol.dispose]: () => store[Symbol.dispose](),
  };
}

function missingOf({ content, present }: Pull): string[] {
  return [...(content?.keys() ?? [])].filter((digest) => !present.has(digest));
}

function manifestFilter({ label, repository }: ContentSource): string {
  const pattern = `(^|,)${repository.replaceAll('.', '[.]')}(,|$)`;
  return `labels.${JSON.stringify(MANIFEST_LABEL)},labels.${JSON.stringify(label)}~=${JSON.stringify(pattern)}`;
}

function isOf({ labels }: StoredContent, { label, repository }: ContentSource): boolean {
  return labels[label]?.split(',').includes(repository) ?? false;
}
