import { dataSourceOptions, migrate } from '@app/infrastructure';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../../libs/infrastructure/src/persistence/migrations/index.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { storm, type Writer } from '../support/storm.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

// What is counted and what is there come from one statement, and so from one moment.
const differences = (listed: string) => `
  WITH listed AS (${listed}), counted AS (
    SELECT store_id, list, part.grain, part.period, labels, count(*) AS rows
    FROM listed
    CROSS JOIN LATERAL (VALUES
      ('all', '-infinity'::date),
      ('month', date_trunc('month', created_at AT TIME ZONE 'UTC')::date),
      ('day', (created_at AT TIME ZONE 'UTC')::date)
    ) AS part (grain, period)
    WHERE part.grain = 'all' OR list NOT LIKE 'category %'
    GROUP BY store_id, list, part.grain, part.period, labels
  ), kept AS (
    SELECT store_id, list, grain, period, labels, sum(rows) AS rows FROM list_counts
    WHERE regexp_replace(list, ' .*', '') IN (SELECT regexp_replace(list, ' .*', '') FROM lists)
    GROUP BY store_id, list, grain, period, labels HAVING sum(rows) <> 0
  )
  SELECT store_id, list, grain, period::text, labels, counted.rows AS counted, kept.rows AS kept
  FROM counted FULL JOIN kept USING (store_id, list, grain, period, labels)
  WHERE counted.rows IS DISTINCT FROM kept.rows`;
