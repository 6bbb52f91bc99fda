export type {
  ContainerUse,
  DiskUse,
  FileSystemLayout,
  FileSystemUse,
  MemoryUse,
  NodeSummary,
  PodUse,
} from '@rxlet/agent-api/node';
