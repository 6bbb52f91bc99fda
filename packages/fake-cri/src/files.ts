export { FileError, type FileErrorCode, type FileKind, type FileSystem } from './fs/file-system.ts';
export { filesOfTree, type FileTree } from './fs/files-of-tree.ts';
export { createHostFiles, type HostFiles, type MountedHostFiles } from './fs/host-files.ts';
export { createNodeHostFiles } from './fs/node-host-files.ts';
export { createShadowHostFiles, type ShadowHostFiles } from './fs/shadow-host-files.ts';
