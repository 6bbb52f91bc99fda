export {
  type DecodedManifest,
  decodeManifest,
  decodeManifestList,
  type DecodeManifestOptions,
} from './decode-manifest.ts';
export { createFileSource, type FileSourceOptions, type FileSourcePorts } from './file-source.ts';
export { checkManifestHeaders, createHttpSource, type HttpSourceOptions, type HttpSourcePorts } from './http-source.ts';
export type { LastGoodFile } from './last-good-pods.ts';
export { ManifestError, type ManifestErrorReason } from './manifest-error.ts';
export { type FetchedManifest, type ManifestFetcher, ManifestTooLarge } from './manifest-fetcher.ts';
export { MAX_MANIFEST_BYTES } from './manifest-reader.ts';
export type { PodSourceProblemReason } from './problem-reason.ts';
export type { ManifestOrigin } from './parsed-manifest.ts';
export { makeStaticPod, type StaticPodOptions } from './static-pod.ts';
export { staticPods, type StaticPodsOptions } from './static-pods-module.ts';
export { staticPodsFromUrl, type StaticPodsFromUrlOptions } from './static-pods-from-url-module.ts';
export { validatePod, type ValidatePodOptions } from './validation/validate-pod.ts';
export { apiPodCheck } from './validation/check-api-pod.ts';
