export type { Manifest, ManifestList, ManifestState } from './manifests/manifest-list.ts';
