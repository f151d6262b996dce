// Matrices on their way to a device and back.
#include <gtest/gtest.h>

#include "contract/devices.hpp"

namespace markeval::compute {
namespace {

class Transfer : public EveryDevice {
 protected:
  ThreadPool pool_{2};
  std::unique_ptr<Device> device_ = GetParam().make(pool_);
};

TEST_P(Transfer, GivesBackWhatWasUploaded) {
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const auto array = upload_matrix(*device_, MatrixView<const float>(values.data(), 3, 2));
  EXPECT_EQ(download_matrix(*device_, array.view()), values);
  EXPECT_EQ(download_matrix(*device_, array.view().rows_from(1, 1)), (std::vector<float>{3, 4}));
  const std::vector<float> changed{9};
  upload(*device_, MatrixView(changed.data(), 1, 1), array.view().rows_from(1, 1).columns_from(1, 1));
  EXPECT_EQ(download_matrix(*device_, array.view()), (std::vector<float>{1, 2, 3, 9, 5, 6}));
}

TEST_P(Transfer, LeavesWhatLiesBetweenRowsAloneOnBothSides) {
  const std::vector<float> values{1, 2, -1, 3, 4, -1};
  const auto packed = upload_matrix(*device_, MatrixView<const float>(values.data(), 2, 2, 3));
  EXPECT_EQ(download_matrix(*device_, packed.view()), (std::vector<float>{1, 2, 3, 4}));
  const std::vector<float> zeros(8);
  const auto wide = upload_matrix(*device_, MatrixView(zeros.data(), 2, 4));
  upload(*device_, MatrixView<const float>(values.data(), 2, 2, 3), wide.view().columns_from(1, 2));
  EXPECT_EQ(download_matrix(*device_, wide.view()), (std::vector<float>{0, 1, 2, 0, 0, 3, 4, 0}));
  std::vector<float> host(10, -7.0f);
  download(*device_, wide.view().columns_from(1, 2), MatrixView(host.data(), 2, 2, 5));
  EXPECT_EQ(host, (std::vector<float>{1, 2, -7, -7, -7, 3, 4, -7, -7, -7}));
}

TEST_P(Transfer, TakesMatricesWithoutRows) {
  const auto none = upload_matrix(*device_, MatrixView<const float>(nullptr, 0, 5));
  EXPECT_TRUE(download_matrix(*device_, none.view()).empty());
}

INSTANTIATE_TEST_SUITE_P(Device, Transfer, ::testing::ValuesIn(tested_devices()), device_name);

}  // namespace
}  // namespace markeval::compute
