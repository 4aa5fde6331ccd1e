#include "run/board.h"

#include <errno.h>
#include <sys/mman.h>

static uint64_t header_bytes(uint32_t worker_count)
{
	uint64_t bytes = sizeof(struct board) + worker_count * sizeof(struct worker_board);

	return (bytes + 4095) / 4096 * 4096;
}

uint64_t board_bytes(const struct board_layout *loads, uint32_t load_count)
{
	uint64_t bytes = 0;
	uint32_t workers = 0;

	for (uint32_t i = 0; i < load_count; i++) {
		workers += loads[i].workers;
		bytes += loads[i].workers * recorder_ring_bytes(&loads[i].recorder);
	}
	return header_bytes(workers) + bytes;
}

static void board_assign(struct board *board, const struct board_layout *loads, uint32_t load_count)
{
	char *memory = (char *)board + header_bytes(board->worker_count);
	uint32_t at = 0;

	for (uint32_t load = 0; load < load_count; load++)
		for (uint32_t number = 0; number < loads[load].workers; number++, at++) {
			struct worker_board *entry = &board->worker[at];

			entry->load = load;
			entry->number = number;
			entry->depth = loads[load].depth;
			entry->ring = (struct recorder_ring *)memory;
			memory += recorder_ring_bytes(&loads[load].recorder);
		}
}

int board_new(const struct board_layout *loads, uint32_t load_count, struct board **ret_board)
{
	uint64_t bytes = board_bytes(loads, load_count);
	struct board *board = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (board == MAP_FAILED)
		return -ENOMEM;
	board->bytes = bytes;
	board->load_count = load_count;
	for (uint32_t i = 0; i < load_count; i++)
		board->worker_count += loads[i].workers;
	board_assign(board, loads, load_count);
	*ret_board = board;
	return 0;
}

struct board *board_free(struct board *board)
{
	if (board)
		munmap(board, board->bytes);
	return NULL;
}

void board_ready(struct worker_board *entry, const struct board_layout *loads)
{
	struct recorder_config config = loads[entry->load].recorder;

	config.worker = (uint16_t)entry->number;
	config.load = (uint16_t)entry->load;
	recorder_ring_init(entry->ring, &config);
	entry->ready = true;
}

void board_start(struct board *board, const struct board_layout *loads, uint64_t start_ns)
{
	for (uint32_t i = 0; i < board->worker_count; i++) {
		if (!board->worker[i].ready)
			board_ready(&board->worker[i], loads);
		recorder_ring_start(board->worker[i].ring, start_ns);
	}
	board->start_ns = start_ns;
}
