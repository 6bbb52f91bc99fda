export type { DirectoryHandle, WritableFile } from './directory-handle.ts';
export type { EntryHandle } from './entry-handle.ts';
export { openHostDirectory } from './disk/disk-directory-handle.ts';
export { createNodeFiles, type NodeFilesOptions } from './disk/disk-node-files.ts';
export { findUntrustedDirectory, type UntrustedDirectory } from './disk/untrusted-directory.ts';
export { createHostFiles } from './disk/disk-host-files.ts';
export { systemErrorCode, UnsafeFileError, UnsafePathError, type UnsafePathReason } from './errors.ts';
export type { FileInfo, FileKind } from './file-info.ts';
export type {
  HostChange,
  HostEntry,
  HostFile,
  HostFiles,
  HostListing,
  HostWatchObserver,
  PlacedFile,
} from './host-files.ts';
export type { NodeFiles } from './node-files.ts';
export type { OpenFile } from './open-file.ts';
export { pathElement } from './path-element.ts';
