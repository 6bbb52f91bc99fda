export {
  type DecodedManifest,
  decodeManifest,
  decodeManifestList,
  type DecodeManifestOptions,
} from './decode-manifest.ts';
export { defaultPod } from './default-pod.ts';
export { diffPods, type PodDiff } from './diff-pods.ts';
export { createFileSource, type FileSourceOptions, type FileSourcePorts } from './file-source.ts';
export { createHttpSource, type HttpSourceOptions, type HttpSourcePorts } from './http-source.ts';
export type { LastGoodFile } from './last-good-pods.ts';
export { createManualSource, type ManualSource } from './manual-source.ts';
export { type FieldProblem, ManifestError, type ManifestErrorReason } from './manifest-error.ts';
export {
  type ManifestEntry,
  type ManifestEntryKind,
  ManifestFileGone,
  type ManifestFolder,
  type ManifestListing,
} from './manifest-folder.ts';
export { type FetchedManifest, type ManifestFetcher, ManifestTooLarge } from './manifest-fetcher.ts';
export { MAX_MANIFEST_BYTES } from './manifest-reader.ts';
export { nodeLastGoodFile } from './node-last-good-file.ts';
export { nodeManifestFolder } from './node-manifest-folder.ts';
export {
  createPodConfig,
  type PodConfig,
  type PodConfigPorts,
  type PodOperation,
  type PodUpdate,
} from './pod-config.ts';
export type { PodSnapshotSource } from './pod-snapshot-source.ts';
export type { SourceProblem, SourceProblemReason } from './source-problem.ts';
export { makeStaticPod, type ManifestOrigin, type StaticPodOptions } from './static-pod.ts';
export { validatePod, type ValidatePodOptions } from './validation/validate-pod.ts';
