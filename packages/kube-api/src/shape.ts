export { shapeProblem } from './shape/object-shape.ts';
export { withoutNulls } from './shape/without-nulls.ts';
