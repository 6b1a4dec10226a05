export interface ThreadOrder {
  readonly module: string;
  readonly config: unknown;
  readonly id: string;
  readonly owner: string;
  readonly saves: number;
  readonly bytes: number;
  readonly leased: boolean;
}

/** What a thread tells: that it was refused the lease for the first time, and what became of it. */
export type ThreadNews = 'refused' | ThreadReport;

export interface ThreadReport {
  readonly saved: number;
  readonly refused: number;
  readonly failure?: string;
}
