import { drawLeaseTimeline } from './lease-timeline.js';
import { drawRunStates } from './run-states.js';
import { drawSaveLog } from './save-log.js';

/** The pictures of the documents, by file name, drawn from what the code does. Equal for equal code. */
export async function drawPictures(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['lease-timeline.svg', await drawLeaseTimeline()],
    ['run-states.svg', await drawRunStates()],
    ['save-log.svg', await drawSaveLog()],
  ]);
}
